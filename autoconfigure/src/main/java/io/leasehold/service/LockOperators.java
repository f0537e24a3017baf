package io.leasehold.service;

import java.time.Duration;
import java.util.List;
import java.util.Set;

import io.leasehold.LockHolder;
import io.leasehold.LockInspector;
import io.leasehold.LockKey;
import io.leasehold.LockOverview;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.RenewalRule;
import io.leasehold.service.gate.Survey;
import org.jspecify.annotations.Nullable;

/**
 * Operators' access to the locks of one application, without a way to close them.
 */
final class LockOperators implements LockInspector {

	private final Engines engines;

	private final MonotonicClock clock;

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
		return this.engines.get(engine).engine().location();
	}

	@Override
	public Duration minLease(String engine) {
		return this.engines.get(engine).engine().minLease();
	}

	@Override
	public Duration sessionTimeout(String engine, Duration lease) {
		Duration session = this.engines.get(engine).engine().sessionTimeout();
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
		return HolderLookup.describe(this.engines.get(engine).engine().inspect(key));
	}

	@Override
	public List<LockHolder> forceRelease(String engine, LockKey key) {
		return HolderLookup.describe(this.engines.get(engine).forceRelease(key));
	}

	@Override
	public Duration probe(String engine) {
		return this.engines.get(engine).probe();
	}

	@Override
	public boolean isUp(String engine) {
		return this.engines.get(engine).isUp();
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
