package io.leasehold.test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

import io.leasehold.HeldLock;
import io.leasehold.HeldLockScope;
import io.leasehold.LockKey;
import io.leasehold.LockLostException;
import io.leasehold.LockOptions;
import io.leasehold.LossCause;

import org.springframework.util.Assert;

/**
 * A lock for unit tests without Spring and without an engine. While it is open, it is the
 * {@linkplain HeldLock#current() current} lock of the thread that opened it, as inside an
 * annotated method. It excludes nobody. Thread-safe, but to be closed by that thread.
 */
public final class TestLock implements HeldLock {

	private static final String ENGINE = "test";

	private static final Duration LEASE = Duration.ofSeconds(30);

	private static final AtomicLong TOKENS = new AtomicLong();

	private final LockKey key;

	private final long fencingToken = TOKENS.incrementAndGet();

	private final HeldLockScope scope;

	private final LockLostException loss;

	private final List<Consumer<LockLostException>> lossActions = new ArrayList<>();

	private Duration remaining = LEASE;

	private boolean lost;

	private boolean stopping;

	private boolean closed;

	private TestLock(String key) {
		this.key = new LockKey(key);
		this.loss = new LockLostException(this.key, ENGINE, LossCause.EXPIRED);
		this.scope = HeldLockScope.open(this);
	}

	/**
	 * Hold a lock in the current thread until it is closed.
	 * @param key its key
	 * @return the lock, with a greater fencing token than those before
	 */
	public static TestLock hold(String key) {
		return new TestLock(key);
	}

	/**
	 * Lose the lock, as if its lease had expired, and run the actions of its holder in
	 * the current thread. Has no effect if it was lost or closed before.
	 */
	public void lose() {
		loseUnlessEnded().forEach((action) -> action.accept(this.loss));
	}

	/** Report from now on that the application is shutting down. */
	public synchronized void stop() {
		this.stopping = true;
	}

	private synchronized List<Consumer<LockLostException>> loseUnlessEnded() {
		if (!isValid()) {
			return List.of();
		}
		this.lost = true;
		return this.lossActions;
	}

	@Override
	public String key() {
		return this.key.value();
	}

	@Override
	public String engine() {
		return ENGINE;
	}

	@Override
	public long fencingToken() {
		return this.fencingToken;
	}

	@Override
	public synchronized boolean isValid() {
		return !this.lost && !this.closed;
	}

	@Override
	public synchronized void throwIfLost() {
		if (this.lost) {
			throw this.loss;
		}
	}

	/**
	 * Return 30 seconds or the time of {@link #extend} if that is shorter, whatever the
	 * time; zero if the lock was lost or closed.
	 */
	@Override
	public synchronized Duration remaining() {
		return isValid() ? this.remaining : Duration.ZERO;
	}

	@Override
	public synchronized void extend(Duration maxHold, Duration minHold) {
		Duration checked = new LockOptions("test", ENGINE, LEASE, Duration.ZERO, minHold, maxHold).maxHold();
		Assert.state(!this.closed, () -> "Lock '%s' is closed and cannot be extended".formatted(this.key));
		throwIfLost();
		this.remaining = (checked.compareTo(LEASE) < 0) ? checked : LEASE;
	}

	@Override
	public synchronized boolean isStopping() {
		return this.stopping;
	}

	@Override
	public void onLost(Consumer<LockLostException> action) {
		if (isLostOrWillRun(action)) {
			action.accept(this.loss);
		}
	}

	private synchronized boolean isLostOrWillRun(Consumer<LockLostException> action) {
		if (isValid()) {
			this.lossActions.add(action);
		}
		return this.lost && !this.closed;
	}

	/** Close the lock. Unlike a real one, it throws no exception after a loss. */
	@Override
	public synchronized void close() {
		if (!this.closed) {
			this.closed = true;
			this.scope.close();
		}
	}

}
