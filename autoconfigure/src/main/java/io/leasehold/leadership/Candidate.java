package io.leasehold.leadership;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

import io.leasehold.DistributedLocks;
import io.leasehold.HeldLock;
import io.leasehold.LockKey;
import io.leasehold.LockLostException;
import io.leasehold.LockOptions;
import io.leasehold.engine.support.DaemonThreads;
import io.leasehold.service.Handles;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Candidate for a role: wants one exclusive lock for as long as it runs. All changes
 * happen in one thread, which also notifies the listeners, so that these see them in
 * order. Thread-safe.
 */
public final class Candidate implements Leadership, AutoCloseable {

	private static final Log logger = LogFactory.getLog(Candidate.class);

	/** Pause after a failed acquisition. */
	private static final Duration RETRY = Duration.ofSeconds(1);

	private final String role;

	private final LockKey key;

	private final DistributedLocks locks;

	private final LockOptions options;

	private final Consumer<Object> events;

	private final ScheduledThreadPoolExecutor thread;

	/** The term of this process. Written by the thread. */
	private volatile @Nullable HeldLock term;

	/** The acquisition that has not ended. For the thread. */
	private @Nullable CompletableFuture<HeldLock> candidacy;

	/** Whether an acquisition has failed since the last term. For the thread. */
	private boolean failing;

	/** Whether this process wants to lead. For the thread. */
	private boolean standing;

	/** The end of the pause after this process stepped down. For the thread. */
	private @Nullable Future<?> pause;

	/** Number of terms that have begun. */
	private final AtomicLong terms = new AtomicLong();

	/** Number of terms that have begun in any role of this process. For the thread. */
	private AtomicLong elections = new AtomicLong();

	/** Their number when the acquisition began. For the thread. */
	private long electionsBefore;

	/**
	 * Create a candidate, which does not stand yet.
	 * @param role name of the role
	 * @param options engine, lease and lock delay of the lock
	 * @param events publishes an event of the role, one at a time; may block
	 * @throws io.leasehold.LockKeyException if the role is too long for a key
	 */
	public Candidate(String role, DistributedLocks locks, LockOptions options, Consumer<Object> events) {
		this.role = role;
		this.key = keyOf(role);
		this.locks = locks;
		this.options = options.toBuilder()
			.name("role " + role)
			.waitTime(LockOptions.UNLIMITED)
			.maxHold(LockOptions.UNLIMITED)
			.minHold(Duration.ZERO)
			.linger(Duration.ZERO)
			.endless(true)
			.build();
		this.events = events;
		this.thread = new ScheduledThreadPoolExecutor(1, new DaemonThreads("leasehold-role-%s-".formatted(role)),
				new ThreadPoolExecutor.DiscardPolicy());
	}

	@Override
	public String role() {
		return this.role;
	}

	/**
	 * Return the key of a role.
	 * @throws io.leasehold.LockKeyException if the role is too long for a key
	 */
	public static LockKey keyOf(String role) {
		return new LockKey("leasehold:role:" + role);
	}

	/** Return the key of the lock that the leader holds. */
	public LockKey key() {
		return this.key;
	}

	/** Return how the lock of the role is acquired and held. */
	public LockOptions options() {
		return this.options;
	}

	/** Return how many terms of this process have begun. */
	public long terms() {
		return this.terms.get();
	}

	@Override
	public boolean isLeader() {
		return present().isPresent();
	}

	@Override
	public OptionalLong term() {
		return present().map((held) -> OptionalLong.of(held.fencingToken())).orElse(OptionalLong.empty());
	}

	@Override
	public Optional<HeldLock> tryEnter() {
		return present().flatMap(Handles::enter);
	}

	private Optional<HeldLock> present() {
		return Optional.ofNullable(this.term).filter(HeldLock::isValid);
	}

	/**
	 * Begin to want the role.
	 * @param elections number of terms that have begun in any role of this process
	 */
	void start(AtomicLong elections) {
		this.thread.execute(() -> {
			this.elections = elections;
			this.standing = true;
			stand();
		});
	}

	@Override
	public void stepDown(Duration pause) {
		if (pause.isNegative()) {
			throw new IllegalArgumentException("The pause %s of role '%s' is negative".formatted(pause, this.role));
		}
		Duration limited = (pause.compareTo(LockOptions.UNLIMITED) < 0) ? pause : LockOptions.UNLIMITED;
		this.thread.execute(() -> {
			if (this.standing) {
				Optional<HeldLock> kept = limited.isZero() ? tryEnter() : Optional.empty();
				withdraw(RevocationCause.STEPPED_DOWN);
				this.pause = limited.isZero() ? null
						: this.thread.schedule(this::endPause, limited.toNanos(), TimeUnit.NANOSECONDS);
				stand();
				kept.ifPresent(this::close);
			}
		});
	}

	private void endPause() {
		this.pause = null;
		stand();
	}

	/**
	 * End the candidacy, and a term of this process.
	 * @param whenEnded run when listeners were notified and the lock was released
	 */
	public void stop(Runnable whenEnded) {
		this.thread.execute(() -> {
			this.standing = false;
			try {
				withdraw(RevocationCause.SHUTDOWN);
			}
			finally {
				whenEnded.run();
			}
		});
	}

	/** Call this before a release: a store without a queue then prefers others. */
	private void stand() {
		if (!this.standing || this.pause != null || this.candidacy != null || this.term != null) {
			return;
		}
		this.electionsBefore = this.elections.get();
		CompletableFuture<HeldLock> acquisition = acquire();
		this.candidacy = acquisition;
		acquisition.whenCompleteAsync((held, failure) -> decided(acquisition, held, failure), this.thread);
	}

	private CompletableFuture<HeldLock> acquire() {
		try {
			return this.locks.acquireAsync(this.key.value(), this.options);
		}
		catch (RuntimeException | Error ex) {
			return CompletableFuture.failedFuture(ex); // to stand again
		}
	}

	private void decided(CompletableFuture<HeldLock> acquisition, @Nullable HeldLock held,
			@Nullable Throwable failure) {
		if (this.candidacy != acquisition) {
			if (held != null) {
				close(held); // granted before it was cancelled
			}
			return;
		}
		this.candidacy = null;
		if (held == null) {
			report(failure);
			this.thread.schedule(this::stand, RETRY.toNanos(), TimeUnit.NANOSECONDS);
		}
		else if (this.elections.compareAndSet(this.electionsBefore, this.electionsBefore + 1)) {
			lead(held);
		}
		else {
			stand();
			close(held); // so that the roles are spread: it was elected in another one
		}
	}

	/** A role that nobody can take must not stay unnoticed, nor fill the log. */
	private void report(@Nullable Throwable failure) {
		String message = "Could not acquire the lock of role '%s', which is tried again every second"
			.formatted(this.role);
		if (this.failing) {
			logger.debug(message, failure);
		}
		else {
			logger.warn(message, failure);
		}
		this.failing = true;
	}

	private void lead(HeldLock held) {
		this.term = held;
		this.failing = false;
		this.terms.incrementAndGet();
		logger.info("This process leads in role '%s', term %s".formatted(this.role, held.fencingToken()));
		held.onLost((loss) -> this.thread.execute(() -> {
			end(held, RevocationCause.LOST);
			stand();
		}));
		publish(new LeadershipGrantedEvent(this.role, held.fencingToken()));
	}

	private void leaveQueue() {
		CompletableFuture<HeldLock> waiting = this.candidacy;
		this.candidacy = null;
		if (waiting != null) {
			waiting.cancel(false);
		}
	}

	private void withdraw(RevocationCause cause) {
		if (this.pause != null) {
			this.pause.cancel(false);
			this.pause = null;
		}
		leaveQueue();
		HeldLock held = this.term;
		if (held != null) {
			end(held, cause);
		}
	}

	private void end(HeldLock held, RevocationCause cause) {
		if (this.term != held) {
			return;
		}
		RevocationCause first = held.isValid() ? cause : RevocationCause.LOST;
		this.term = null;
		logger.info("This process leads no more in role '%s', term %s: %s".formatted(this.role, held.fencingToken(),
				first));
		publish(new LeadershipRevokedEvent(this.role, held.fencingToken(), first));
		close(held);
	}

	private void close(HeldLock held) {
		try {
			held.close();
		}
		catch (LockLostException ex) {
			logger.debug("Role '%s' was lost".formatted(this.role), ex);
		}
	}

	/** End the thread. A term that has not ended does so with its lease. */
	@Override
	public void close() {
		this.thread.shutdownNow();
	}

	private void publish(Object event) {
		try {
			this.events.accept(event);
		}
		catch (Exception | Error ex) {
			logger.error("A listener of role '%s' failed".formatted(this.role), ex);
		}
	}

}
