package io.leasehold.event;

import io.leasehold.LockKey;
import io.leasehold.LossCause;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Listener that logs where an abandoned lock was acquired. It takes a stack trace of each
 * acquisition. Thread-safe.
 */
public final class LeakDetection implements LockEventListener {

	private static final Log logger = LogFactory.getLog(LeakDetection.class);

	@Override
	public void onEvent(LockEvent event) {
		// Follows the acquisitions instead
	}

	@Override
	public AcquisitionListener follow(String engine, String name, LockKey key) {
		return new CallSite(engine, name, key, new Throwable("The lock was acquired here"));
	}

	private record CallSite(String engine, String name, LockKey key, Throwable trace) implements AcquisitionListener {

		@Override
		public void acquireEnded(AcquireOutcome outcome, @Nullable Exception failure) {
			// Nothing is held yet
		}

		@Override
		public void holdStarted(long fencingToken) {
			// Only the end matters
		}

		@Override
		public void holdEnded(@Nullable LossCause lossCause) {
			if (lossCause == LossCause.ABANDONED) {
				logger.warn(
						"Lock '%s' (%s) was never released: its handle was not closed, or its thread died (engine: %s)"
							.formatted(this.key, this.name, this.engine),
						this.trace);
			}
		}

	}

}
