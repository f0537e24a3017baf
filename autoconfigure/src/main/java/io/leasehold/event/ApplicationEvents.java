package io.leasehold.event;

import java.time.Duration;

import io.leasehold.LockAcquisitionFailedEvent;
import io.leasehold.LockAcquisitionFailedEvent.Reason;
import io.leasehold.LockEngineDownEvent;
import io.leasehold.LockEngineUpEvent;
import io.leasehold.LockKey;
import io.leasehold.LockLostEvent;
import io.leasehold.LockSlowHoldEvent;
import io.leasehold.engine.support.DaemonThreads;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.context.ApplicationEventPublisher;

/**
 * Publisher of application events about failed acquisitions, losses, slow holds and
 * outages. It has its own thread, because application listeners may block or fail.
 * Thread-safe.
 */
public final class ApplicationEvents implements LockEventListener, AutoCloseable {

	private static final Log logger = LogFactory.getLog(ApplicationEvents.class);

	/** Limit of waiting events of failed acquisitions; losses are queued separately. */
	private static final int MOST_FAILURES = 1000;

	private final ApplicationEventPublisher publisher;

	private final EventQueue queue;

	private final LockEventHandler translator = new Translator();

	public ApplicationEvents(ApplicationEventPublisher publisher) {
		this.publisher = publisher;
		String name = "leasehold-application-event";
		this.queue = new EventQueue(name, MOST_FAILURES, new DaemonThreads(name + "-"));
		this.queue.start();
	}

	@Override
	public void onEvent(LockEvent event) {
		event.dispatch(this.translator);
	}

	/**
	 * Return how many events were dropped because too many were waiting for a listener.
	 * @return their number since startup
	 */
	public long dropped() {
		return this.queue.dropped();
	}

	private static @Nullable Reason reason(AcquireOutcome outcome) {
		return switch (outcome) {
			case ACQUIRED, REENTERED, NOT_WANTED -> null;
			case BUSY -> Reason.BUSY;
			case INTERRUPTED -> Reason.INTERRUPTED;
			case UNAVAILABLE -> Reason.UNAVAILABLE;
			case BYPASSED -> Reason.BYPASSED;
			case ERROR -> Reason.ERROR;
		};
	}

	private void publish(Object event) {
		try {
			this.publisher.publishEvent(event);
		}
		catch (Throwable ex) {
			logger.warn("A listener failed on %s".formatted(event), ex);
		}
	}

	@Override
	public void close() {
		this.queue.closeNow();
	}

	/** Converts events, and queues those that applications receive. */
	private final class Translator implements LockEventHandler {

		@Override
		public void acquireEnded(LockEvent.AcquireEnded event) {
			Reason reason = reason(event.outcome());
			if (reason != null) {
				LockKey key = event.key();
				LockAcquisitionFailedEvent failed = new LockAcquisitionFailedEvent(event.engine(), event.name(),
						(key != null) ? key.value() : null, reason, Duration.ofNanos(event.nanos()));
				ApplicationEvents.this.queue.addFrequent(failed.getClass().getSimpleName(), () -> publish(failed));
			}
		}

		@Override
		public void holdLost(LockEvent.HoldLost event) {
			add(new LockLostEvent(event.engine(), event.name(), event.key().value(), event.fencingToken(),
					event.cause()));
		}

		@Override
		public void holdSlow(LockEvent.HoldSlow event) {
			add(new LockSlowHoldEvent(event.engine(), event.name(), event.key().value(), event.fencingToken(),
					Duration.ofNanos(event.nanos())));
		}

		@Override
		public void engineDown(LockEvent.EngineDown event) {
			add(new LockEngineDownEvent(event.engine(), event.failure()));
		}

		@Override
		public void engineUp(LockEvent.EngineUp event) {
			add(new LockEngineUpEvent(event.engine(), Duration.ofNanos(event.nanos())));
		}

		private void add(Object event) {
			ApplicationEvents.this.queue.add(event.getClass().getSimpleName(), () -> publish(event));
		}

		@Override
		public void waitStarted(LockEvent.WaitStarted event) {
		}

		@Override
		public void holdEnded(LockEvent.HoldEnded event) {
		}

		@Override
		public void leaseRenewed(LockEvent.LeaseRenewed event) {
		}

		@Override
		public void handedOff(LockEvent.HandedOff event) {
		}

	}

}
