package io.leasehold.service;

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
 *
 * @param locks adds the locks of the engine to a survey
 */
record ShutdownLog(String engine, MonotonicClock clock, Consumer<Survey> locks) {

	private static final Log logger = LogFactory.getLog(ShutdownLog.class);

	/** Maximum number of locks in a message. */
	private static final int MOST_NAMED = 10;

	/** Log the locks whose holders have to finish. */
	void waits() {
		log("The shutdown waits for %s locks that are held on engine '%s': %s");
	}

	/** Log the locks whose holders did not finish in time. */
	void leaves() {
		log("The shutdown did not wait any longer for %s locks on engine '%s', which stay locked until their"
				+ " leases expire: %s");
	}

	private void log(String message) {
		Survey survey = new Survey(this.clock.nanoTime());
		this.locks.accept(survey);
		List<LockOverview.Held> held = survey.overview().held();
		if (!held.isEmpty()) {
			String named = held.stream()
				.limit(MOST_NAMED)
				.map((lock) -> "'%s' (%s)".formatted(lock.key(), lock.name()))
				.collect(Collectors.joining(", ", "", (held.size() > MOST_NAMED) ? ", ..." : ""));
			logger.info(message.formatted(held.size(), this.engine, named));
		}
	}

}
