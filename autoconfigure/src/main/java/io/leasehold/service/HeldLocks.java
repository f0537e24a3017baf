package io.leasehold.service;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.leasehold.HeldLock;
import io.leasehold.LockKey;
import io.leasehold.LockLostException;

/**
 * Locks of several keys, or several permits of one, as a single lock. It is valid while
 * all of them are, and lost with the first of them. Each has its own lease and token.
 */
record HeldLocks(List<HeldLock> parts) implements HeldLock {

	/** Acquire one lock after the other: all of them, or none. */
	static HeldLock take(List<LockKey> keys, Function<LockKey, HeldLock> one,
			Function<HeldLock, CompletableFuture<Void>> closing) {
		List<HeldLock> taken = new ArrayList<>(keys.size());
		try {
			for (LockKey key : keys) {
				taken.add(one.apply(key));
			}
			return of(taken);
		}
		catch (RuntimeException | Error ex) {
			closeAll(taken, ex, closing).join();
			throw ex;
		}
	}

	/** Combine locks, unless one was lost during the wait for others. */
	static HeldLock of(List<HeldLock> taken) {
		HeldLock all = (taken.size() == 1) ? taken.get(0) : new HeldLocks(List.copyOf(taken));
		all.throwIfLost();
		return all;
	}

	/**
	 * Close unused locks concurrently.
	 * @param reason why they are not used; exceptions of closing are added to it
	 * @return completes when all are closed
	 */
	static CompletableFuture<Void> closeAll(List<HeldLock> taken, Throwable reason,
			Function<HeldLock, CompletableFuture<Void>> closing) {
		return CompletableFuture.allOf(taken.stream()
			.map(closing)
			.map((closed) -> closed.exceptionally((ex) -> suppressed(reason, ex)))
			.toArray(CompletableFuture[]::new));
	}

	@SuppressWarnings("NullAway") // Result of a future without a value
	private static Void suppressed(Throwable reason, Throwable failure) {
		reason.addSuppressed(unwrapped(failure));
		return null;
	}

	/** Return the failure of a stage on which another one depends. */
	static Throwable unwrapped(Throwable failure) {
		return (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause() : failure;
	}

	@Override
	public String key() {
		return this.parts.stream().map(HeldLock::key).distinct().collect(Collectors.joining(","));
	}

	@Override
	public String engine() {
		return this.parts.get(0).engine();
	}

	@Override
	public long fencingToken() {
		throw new IllegalStateException("Each of the keys '%s' has a separate fencing token: use fencingToken(key)"
			.formatted(LockKey.readable(key())));
	}

	@Override
	public boolean isValid() {
		return this.parts.stream().allMatch(HeldLock::isValid);
	}

	@Override
	public void throwIfLost() {
		this.parts.forEach(HeldLock::throwIfLost);
	}

	@Override
	public Duration remaining() {
		return this.parts.stream().map(HeldLock::remaining).min(Duration::compareTo).orElse(Duration.ZERO);
	}

	@Override
	public void extend(Duration maxHold, Duration minHold) {
		this.parts.forEach((part) -> part.extend(maxHold, minHold));
	}

	@Override
	public boolean isStopping() {
		return this.parts.get(0).isStopping();
	}

	/** Run the action once, for the first loss. */
	@Override
	public void onLost(Consumer<LockLostException> action) {
		AtomicBoolean done = new AtomicBoolean();
		this.parts.forEach((part) -> part.onLost((loss) -> {
			if (done.compareAndSet(false, true)) {
				action.accept(loss);
			}
		}));
	}

	/** Close all in reverse order, and throw the first failure with the others in it. */
	@Override
	public void close() {
		RuntimeException failure = null;
		for (int i = this.parts.size() - 1; i >= 0; i--) {
			try {
				this.parts.get(i).close();
			}
			catch (RuntimeException ex) {
				if (failure == null) {
					failure = ex;
				}
				else {
					failure.addSuppressed(ex);
				}
			}
		}
		if (failure != null) {
			throw failure;
		}
	}

	@Override
	public String toString() {
		return "HeldLocks %s".formatted(this.parts);
	}

}
