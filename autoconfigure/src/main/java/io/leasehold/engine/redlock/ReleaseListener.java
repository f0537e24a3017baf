package io.leasehold.engine.redlock;

import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import io.leasehold.engine.redis.connection.RedisFailure;
import io.leasehold.engine.redis.connection.SilenceCheck;
import io.leasehold.engine.redis.connection.SubscribedConnection;
import io.leasehold.engine.support.Deadlines;
import io.leasehold.engine.support.PlannedOnce;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Subscription to the releases that one master publishes. It begins with the first claim
 * that waits, and is repeated while claims wait. Thread-safe.
 */
final class ReleaseListener {

	private static final Log logger = LogFactory.getLog(ReleaseListener.class);

	private static final Duration RETRY = Duration.ofMillis(250);

	/** Pause after a rejection, which only an operator can change. */
	private static final Duration RETRY_AFTER_REJECTION = Duration.ofSeconds(10);

	private final Master master;

	private final String channel;

	private final ScheduledExecutorService executor;

	private final Receiver receiver;

	/** Attempt to subscribe that is planned or in progress. */
	private final PlannedOnce attempt = new PlannedOnce();

	private final SilenceCheck silence;

	/** Time before which no attempt is made, as a reading of the monotonic clock. */
	private volatile long retryAt = System.nanoTime();

	private volatile @Nullable SubscribedConnection connection;

	ReleaseListener(Master master, RedlockSettings settings, ScheduledExecutorService executor, Receiver receiver) {
		this.master = master;
		this.channel = LockNames.releases(settings.namespace());
		this.silence = new SilenceCheck(settings.silenceTimeout(), executor);
		this.executor = executor;
		this.receiver = receiver;
	}

	/** Subscribe, unless there is a subscription, which is checked then. Never blocks. */
	void ensureOpen() {
		SubscribedConnection present = this.connection;
		if (present != null && present.isOpen()) {
			this.silence.begin(present);
		}
		else {
			this.attempt
				.plan(() -> this.executor.schedule(this::open, Deadlines.left(this.retryAt), TimeUnit.NANOSECONDS));
		}
	}

	private void open() {
		Duration pause = RETRY;
		try {
			SubscribedConnection former = this.connection;
			if (former != null) {
				former.close(); // until then, Lettuce keeps even a broken connection
			}
			SubscribedConnection opened = this.master.listen(this.channel, this::released, this::ensureOpenIfAwaited);
			this.connection = opened;
			if (this.executor.isShutdown()) {
				opened.close();
			}
			this.receiver.missed(this.master);
		}
		catch (RuntimeException | Error ex) { // such as no thread for Lettuce
			logger.debug("No subscription to releases at Redis master %s; retrying".formatted(this.master), ex);
			pause = isRejected(ex) ? RETRY_AFTER_REJECTION : RETRY;
		}
		this.retryAt = Deadlines.after(pause);
		this.attempt.done();
		ensureOpenIfAwaited();
	}

	private void released(String lock) {
		this.receiver.released(this.master, lock);
	}

	/** Return whether an operator has to change something before a retry can succeed. */
	private boolean isRejected(Throwable failure) {
		if (!(failure instanceof RedisFailure reply) || !(reply.is("NOPERM") || reply.is("ERR"))) {
			return false;
		}
		this.receiver.rejected(this.master, this.channel, reply);
		return true;
	}

	private void ensureOpenIfAwaited() {
		if (this.receiver.isAwaiting()) {
			ensureOpen();
		}
	}

	/** Receiver of the messages of masters, called in any thread. */
	interface Receiver {

		/** Return whether claims wait for messages. */
		boolean isAwaiting();

		/** Receive the message that a lock was released at a master. */
		void released(Master master, String lock);

		/** Receive the news that messages of a master may be lost until now. */
		void missed(Master master);

		/** Receive the rejection of a subscription. */
		void rejected(Master master, String channel, RedisFailure failure);

	}

}
