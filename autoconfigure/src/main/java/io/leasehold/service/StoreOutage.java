package io.leasehold.service;

import java.time.Duration;
import java.util.LongSummaryStatistics;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

import io.leasehold.LockEngineException;
import io.leasehold.LockOverview;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.event.LockEvent;
import io.leasehold.service.gate.Survey;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Outage of one engine's store, as the outcomes of its requests show. It begins when a
 * request is sent that fails while no other one has a response, and ends with the next
 * response. Both are logged and published, instead of each failed request. A store that
 * responds to some requests only is reported once a minute. Thread-safe.
 */
final class StoreOutage {

	private static final Log logger = LogFactory.getLog(StoreOutage.class);

	/** An outage that begins again within this time is the same one. */
	private static final long SAME = Duration.ofMinutes(1).toNanos();

	private final LockEngine store;

	private final String engine;

	private final MonotonicClock clock;

	private final Consumer<Survey> locks;

	private final Events events;

	private final Runnable test;

	/** Clock reading at the last response, initially at the start. */
	private volatile long responded;

	/** Clock reading at the first failed request, or before the response for none. */
	private long failed;

	/** The outage that has not ended. */
	private volatile @Nullable Outage current;

	/** The outage that began last. */
	private @Nullable Outage last;

	/**
	 * Create an object without an outage.
	 * @param locks adds the locks of the engine to a survey
	 * @param test plans a test of the store, in any thread, must not block
	 */
	StoreOutage(LockEngine store, MonotonicClock clock, Consumer<Survey> locks, Events events, Runnable test) {
		this.store = store;
		this.engine = store.name();
		this.clock = clock;
		this.locks = locks;
		this.events = events;
		this.test = test;
		this.responded = clock.nanoTime();
		this.failed = this.responded - 1;
	}

	/**
	 * Record a response of the store. Outcomes that an engine may know without a request
	 * are none: not the owner, and contradicted.
	 * @return the clock reading at the response
	 */
	long responded() {
		long now = this.clock.nanoTime();
		this.responded = now;
		Outage ended = this.current;
		if (ended != null) {
			this.current = null;
			if (ended.endReported.compareAndSet(false, true)) {
				logger.info("The store of engine '%s' is available again after %s ms".formatted(this.engine,
						Duration.ofNanos(now - ended.since).toMillis()));
				this.events.publishLater(new LockEvent.EngineUp(this.engine, now - ended.since));
			}
		}
		return now;
	}

	/**
	 * Record the failure of a request for a lock. A rejection that lasts may be that of
	 * this lock alone, so a test of the store decides.
	 * @param sent clock reading before the request was sent
	 */
	void failed(long sent, @Nullable Throwable failure) {
		if (!(failure instanceof LockEngineException known) || known.isRetryable()) {
			unavailable(sent, failure);
		}
		else if (isRejection(known)) {
			this.test.run();
		}
	}

	/**
	 * Record the failure of a test of the store.
	 * @param sent clock reading before the request was sent
	 */
	void testFailed(long sent, Throwable failure) {
		if (!(failure instanceof LockEngineException known) || known.isRetryable() || isRejection(known)) {
			unavailable(sent, failure);
		}
	}

	/**
	 * Return whether a lasting failure is the store's, and not that of a closed engine.
	 */
	private static boolean isRejection(LockEngineException failure) {
		return failure.getCause() != null && !(failure.getCause() instanceof LockEngineException);
	}

	private void unavailable(long sent, @Nullable Throwable failure) {
		if (isSilentSince(sent)) {
			begin(silentSince(sent), failure);
		}
	}

	/** Return when the first request was sent that failed since the last response. */
	private synchronized long silentSince(long sent) {
		if (this.failed - this.responded < 0) {
			this.failed = sent;
		}
		return this.failed;
	}

	private void begin(long since, @Nullable Throwable failure) {
		if (begins(since)) {
			Outage begun = outageAt(since);
			this.current = begun;
			this.test.run();
			if (begun.beginReported.compareAndSet(false, true)) {
				String location = this.store.location();
				logger.warn("The store of engine '%s'%s is unavailable: %s. %s".formatted(this.engine,
						(location != null) ? " (" + location + ")" : "",
						String.valueOf(failure).replaceFirst("\\.$", ""), describeLocks()));
				this.events.publishLater(new LockEvent.EngineDown(this.engine, failure));
			}
		}
	}

	/** Return whether no outage is known that includes the time since an instant. */
	private boolean begins(long since) {
		Outage known = this.current;
		return known == null || (known.since - since < 0 && this.clock.nanoTime() - known.since >= SAME);
	}

	/** Return whether there is no outage. */
	boolean isOver() {
		return this.current == null;
	}

	/** Return whether the store has not responded to any request since an instant. */
	boolean isSilentSince(long start) {
		return this.responded - start <= 0;
	}

	/** Record that a method runs without its lock, because the store does not respond. */
	void bypassed(String name) {
		Outage outage = this.current;
		if (outage == null) {
			outage = outageAt(this.clock.nanoTime());
		}
		if (outage.bypassReported.compareAndSet(false, true)) {
			logger.warn(("%s runs without its lock, because engine '%s' is unavailable and leasehold.when-unavailable"
					+ " is 'proceed'. This is logged once for each outage")
				.formatted(name, this.engine));
		}
	}

	/**
	 * Return the last outage if it began lately, or a new one. If the former one lasts,
	 * the new one is reported when that one is no longer recent.
	 */
	private synchronized Outage outageAt(long since) {
		Outage former = this.last;
		if (former != null && (former.since == since || this.clock.nanoTime() - former.since < SAME)) {
			return former;
		}
		Outage begun = new Outage(since);
		this.last = begun;
		return begun;
	}

	private String describeLocks() {
		Survey survey = new Survey(this.clock.nanoTime());
		this.locks.accept(survey);
		LongSummaryStatistics rest = survey.overview()
			.held()
			.stream()
			.map(LockOverview.Held::remaining)
			.mapToLong(Duration::toMillis)
			.summaryStatistics();
		return (rest.getCount() == 0) ? "No lock is held here"
				: "%s locks that are held here are valid for another %s to %s ms".formatted(rest.getCount(),
						rest.getMin(), rest.getMax());
	}

	/** One outage, and what was reported about it. */
	private static final class Outage {

		private final long since;

		private final AtomicBoolean beginReported = new AtomicBoolean();

		private final AtomicBoolean bypassReported = new AtomicBoolean();

		private final AtomicBoolean endReported = new AtomicBoolean();

		Outage(long since) {
			this.since = since;
		}

	}

}
