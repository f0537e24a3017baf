package io.leasehold.service;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Collectors;

import io.leasehold.LockOverview;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.service.gate.Survey;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Messages about the locks of one engine that are held during a shutdown.
 */
final class ShutdownLog {

	private static final Log logger = LogFactory.getLog(ShutdownLog.class);

	/** Maximum number of locks in a message. */
	private static final int MOST_NAMED = 10;

	private final String engine;

	private final MonotonicClock clock;

	private final Consumer<Survey> locks;

	private volatile boolean waiting;

	private volatile long start;

	/**
	 * Create a log.
	 * @param locks adds the locks of the engine to a survey
	 */
	ShutdownLog(String engine, MonotonicClock clock, Consumer<Survey> locks) {
		this.engine = engine;
		this.clock = clock;
		this.locks = locks;
	}

	/** Log the locks that are held when the application begins to stop. */
	void begins() {
		log("The application stops while %s locks are held on engine '%s': %s");
	}

	/** Log the locks whose holders have to finish. */
	void waits() {
		this.start = this.clock.nanoTime();
		this.waiting = log("The shutdown waits for %s locks that are held on engine '%s': %s");
	}

	/** Log how long it took until all holders finished. */
	void ended() {
		if (this.waiting) {
			this.waiting = false;
			logger.info("The shutdown waited %s ms for locks on engine '%s', which are all released now"
				.formatted(waited(), this.engine));
		}
	}

	/** Log the locks whose holders did not finish in time. */
	void leaves() {
		log("The shutdown waited " + (this.waiting ? waited() : 0)
				+ " ms and leaves %s locks on engine '%s', which stay locked until their leases expire: %s");
	}

	private long waited() {
		return Duration.ofNanos(this.clock.nanoTime() - this.start).toMillis();
	}

	/** Log the locks that are held, if there are any. */
	private boolean log(String message) {
		Survey survey = new Survey(this.clock.nanoTime());
		this.locks.accept(survey);
		List<LockOverview.Held> held = survey.overview().held();
		if (held.isEmpty()) {
			return false;
		}
		String named = held.stream()
			.limit(MOST_NAMED)
			.map((lock) -> "'%s' (%s, held for %s ms%s)".formatted(lock.key(), lock.name(), survey.age(lock).toMillis(),
					(lock.thread() != null) ? " by thread " + lock.thread() : ""))
			.collect(Collectors.joining(", ", "", (held.size() > MOST_NAMED) ? ", ..." : ""));
		logger.info(message.formatted(held.size(), this.engine, named));
		return true;
	}

}
