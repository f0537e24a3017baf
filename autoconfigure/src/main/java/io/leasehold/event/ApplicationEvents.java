package io.leasehold.event;

import java.time.Duration;

import io.leasehold.LockAcquisitionFailedEvent;
import io.leasehold.LockAcquisitionFailedEvent.Reason;
import io.leasehold.LockKey;
import io.leasehold.LockLostEvent;
import io.leasehold.LockSlowHoldEvent;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.context.ApplicationEventPublisher;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/**
 * Publisher of application events about failed acquisitions, losses and slow holds. It
 * has its own thread, because application listeners may block or fail. Thread-safe.
 */
public final class ApplicationEvents implements LockEventListener, AutoCloseable {

	private static final Log logger = LogFactory.getLog(ApplicationEvents.class);

	/** Limit of waiting events of failed acquisitions; losses are queued separately. */
	private static final int MOST_FAILURES = 1000;

	private final ApplicationEventPublisher publisher;

	private final EventQueue queue;

	/**
	 * Create a listener.
	 * @param publisher where the events are published
	 */
	public ApplicationEvents(ApplicationEventPublisher publisher) {
		this.publisher = publisher;
		String name = "leasehold-application-event";
		CustomizableThreadFactory threads = new CustomizableThreadFactory(name + "-");
		threads.setDaemon(true);
		this.queue = new EventQueue(name, MOST_FAILURES, threads);
		this.queue.start();
	}

	@Override
	public void onEvent(LockEvent event) {
		Object translated = translate(event);
		if (translated == null) {
			return;
		}
		String kind = translated.getClass().getSimpleName();
		if (translated instanceof LockAcquisitionFailedEvent) {
			this.queue.addFrequent(kind, () -> publish(translated));
		}
		else {
			this.queue.add(kind, () -> publish(translated));
		}
	}

	/**
	 * Return how many events were dropped because too many were waiting for a listener.
	 * @return their number since startup
	 */
	public long dropped() {
		return this.queue.dropped();
	}

	private static @Nullable Object translate(LockEvent event) {
		if (event instanceof LockEvent.AcquireEnded ended) {
			Reason reason = reason(ended.outcome());
			LockKey key = ended.key();
			return (reason != null) ? new LockAcquisitionFailedEvent(ended.engine(), ended.name(),
					(key != null) ? key.value() : null, reason, Duration.ofNanos(ended.nanos())) : null;
		}
		if (event instanceof LockEvent.HoldLost lost) {
			return new LockLostEvent(lost.engine(), lost.name(), lost.key().value(), lost.fencingToken(), lost.cause());
		}
		if (event instanceof LockEvent.HoldSlow slow) {
			return new LockSlowHoldEvent(slow.engine(), slow.name(), slow.key().value(), slow.fencingToken(),
					Duration.ofNanos(slow.nanos()));
		}
		return null;
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
		catch (Exception | LinkageError | AssertionError ex) {
			logger.warn("A listener failed on %s".formatted(event), ex);
		}
	}

	@Override
	public void close() {
		this.queue.closeNow();
	}

}
