package io.leasehold.service;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;

import io.leasehold.KeptLock;
import io.leasehold.LockDeadlocks;
import io.leasehold.LockHolder;
import io.leasehold.LockInspector;
import io.leasehold.LockKey;
import io.leasehold.LockOverview;
import io.leasehold.LockPage;
import io.leasehold.engine.HeldKeys;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.RenewalRule;
import io.leasehold.service.gate.Survey;
import org.jspecify.annotations.Nullable;

/**
 * Operators' access to the locks of one application, without a way to close them.
 */
final class LockOperators implements LockInspector {

	/** Maximum number of locks that a caller may request at once. */
	private static final int MOST_LISTED = 500;

	private final Engines engines;

	private final MonotonicClock clock;

	private final ReentrantLock listing = new ReentrantLock();

	LockOperators(Engines engines, MonotonicClock clock) {
		this.engines = engines;
		this.clock = clock;
	}

	@Override
	public Set<String> engines() {
		return this.engines.names();
	}

	@Override
	public @Nullable String location(String engine) {
		return this.engines.get(engine).engine.location();
	}

	@Override
	public Duration minLease(String engine) {
		return this.engines.get(engine).engine.minLease();
	}

	@Override
	public Duration sessionTimeout(String engine, Duration lease) {
		Duration session = this.engines.get(engine).engine.sessionTimeout();
		return (session.compareTo(RenewalRule.sessionTimeout(lease)) > 0) ? session : Duration.ZERO;
	}

	@Override
	public LockOverview overview() {
		Survey survey = new Survey(this.clock.nanoTime());
		this.engines.all().forEach((locks) -> locks.describe(survey));
		return survey.overview();
	}

	@Override
	public LockOverview overview(String engine, LockKey key) {
		Survey survey = new Survey(this.clock.nanoTime());
		this.engines.get(engine).describe(survey, key);
		return survey.overview();
	}

	@Override
	public List<LockHolder> inspect(String engine, LockKey key) {
		return StoreHolders.describe(this.engines.get(engine).engine.inspect(key));
	}

	@Override
	public LockPage held(String engine, String prefix, @Nullable String after, int limit) {
		HeldKeys keys = this.engines.get(engine).engine.heldKeys();
		if (keys == null) {
			throw new UnsupportedOperationException(
					"Engine '%s' cannot list its locks. Query the holders of one key".formatted(engine));
		}
		if (limit < 1 || limit > MOST_LISTED) {
			throw new IllegalArgumentException("The limit must be from 1 to %s".formatted(MOST_LISTED));
		}
		HeldKeys.Page page;
		this.listing.lock(); // several pages at the same time would delay acquisitions
		try {
			page = keys.list(prefix, after, limit);
		}
		finally {
			this.listing.unlock();
		}
		return new LockPage(page.keys()
			.stream()
			.map((held) -> new LockPage.Entry(held.key().value(), StoreHolders.describe(held.holders())))
			.toList(), page.next());
	}

	@Override
	public LockDeadlocks deadlocks(String engine) {
		HeldKeys keys = this.engines.get(engine).engine.heldKeys();
		LockDeadlocks found = null;
		this.listing.lock();
		try {
			found = (keys != null) ? StoreDeadlocks.search(keys) : null;
		}
		finally {
			this.listing.unlock();
		}
		if (found == null) {
			throw new UnsupportedOperationException(
					"Engine '%s' cannot find deadlocks: its store does not know which threads wait".formatted(engine));
		}
		return found;
	}

	@Override
	public List<LockHolder> forceRelease(String engine, LockKey key) {
		return StoreHolders.describe(this.engines.get(engine).forceRelease(key));
	}

	@Override
	public @Nullable KeptLock kept(String engine, LockKey key) {
		return StoreHolders.kept(this.engines.get(engine).engine, key);
	}

	@Override
	public @Nullable KeptLock open(String engine, LockKey key) {
		return this.engines.get(engine).kept.open(key);
	}

	@Override
	public @Nullable KeptLock pause(String engine, LockKey key, @Nullable Duration duration, String operator) {
		return this.engines.get(engine).kept.pause(key, duration, operator);
	}

	@Override
	public Duration probe(String engine) {
		return this.engines.get(engine).probe.run();
	}

	@Override
	public boolean isUp(String engine) {
		return this.engines.get(engine).outage.isOver();
	}

	@Override
	public List<String> findings(String engine) {
		return this.engines.get(engine).findings();
	}

	@Override
	public long droppedEvents(String engine) {
		return this.engines.get(engine).droppedEvents();
	}

}
