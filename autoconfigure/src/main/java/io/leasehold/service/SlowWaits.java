package io.leasehold.service;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Collectors;

import io.leasehold.LockKey;
import io.leasehold.LockOptions;
import io.leasehold.LockOverview.Waiting;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.support.PlannedOnce;
import io.leasehold.service.gate.Survey;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Warnings about callers of one engine that wait for a long time, while they wait. Each
 * wait is reported once, with those for the same key that became long at the same time.
 * Idle while nobody waits. Thread-safe.
 */
final class SlowWaits {

	private static final Log logger = LogFactory.getLog(SlowWaits.class);

	private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);

	/** Maximum number of keys in one check, each of which costs a request. */
	private static final int MOST_KEYS = 10;

	private final String engine;

	private final Duration limit;

	private final MonotonicClock clock;

	private final EngineThreads threads;

	private final HolderLookup holders;

	private final Consumer<Survey> locks;

	private final PlannedOnce check = new PlannedOnce();

	/** Whether a caller has begun to wait since the last check began. */
	private volatile boolean begun;

	/** Clock reading at the last check. */
	private volatile long checked;

	/**
	 * Create warnings.
	 * @param limit how long a caller may wait, or {@link LockOptions#UNLIMITED}
	 * @param locks adds the locks of the engine to a survey
	 */
	SlowWaits(String engine, Duration limit, MonotonicClock clock, EngineThreads threads, HolderLookup holders,
			Consumer<Survey> locks) {
		this.engine = engine;
		this.limit = limit;
		this.clock = clock;
		this.threads = threads;
		this.holders = holders;
		this.locks = locks;
		this.checked = clock.nanoTime();
	}

	/** A caller has begun to wait. */
	void begun() {
		if (!this.limit.equals(LockOptions.UNLIMITED)) {
			this.begun = true;
			plan(this.limit);
		}
	}

	private void plan(Duration pause) {
		this.check.plan(() -> this.threads.schedule(this::check, pause, this.threads.workers()));
	}

	/** Only one check runs at a time, because it may wait for the store. */
	private void check() {
		this.begun = false;
		boolean waits = true;
		try {
			waits = report();
		}
		finally {
			this.check.done();
			if (waits || this.begun) {
				plan((this.limit.compareTo(LONGEST_PAUSE) < 0) ? this.limit : LONGEST_PAUSE);
			}
		}
	}

	/** Report waits that have become long, and return whether anyone waits. */
	private boolean report() {
		long now = this.clock.nanoTime();
		Survey survey = new Survey(now, (caller) -> !caller.endless());
		this.locks.accept(survey);
		List<Waiting> waiting = survey.overview().waiting();
		// Those that were not slow at the last check
		Duration most = this.limit.plusNanos(now - this.checked);
		this.checked = now;
		Map<LockKey, List<Waiting>> slow = waiting.stream()
			.filter((caller) -> survey.age(caller).compareTo(this.limit) >= 0 && survey.age(caller).compareTo(most) < 0)
			.collect(Collectors.groupingBy(Waiting::key, LinkedHashMap::new, Collectors.toList()));
		slow.entrySet().stream().limit(MOST_KEYS).forEach((key) -> warn(key.getKey(), key.getValue(), survey));
		if (slow.size() > MOST_KEYS) {
			logger.warn("Callers have waited for %s more locks for longer than leasehold.slow-wait allows (engine: %s)"
				.formatted(slow.size() - MOST_KEYS, this.engine));
		}
		return !waiting.isEmpty();
	}

	private void warn(LockKey key, List<Waiting> callers, Survey survey) {
		Waiting first = callers.get(0);
		logger.warn(
				"%s callers have waited for lock '%s' (%s) for longer than leasehold.slow-wait allows, %s for %s ms%s (engine: %s)"
					.formatted(callers.size(), key, first.name(), threadOf(first), survey.age(first).toMillis(),
							this.holders.describe(key), this.engine));
	}

	private static String threadOf(Waiting caller) {
		return (caller.thread() != null) ? "thread " + caller.thread() : "an asynchronous one";
	}

}
