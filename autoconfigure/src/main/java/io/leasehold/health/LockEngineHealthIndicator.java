package io.leasehold.health;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

import io.leasehold.LockEngineException;
import io.leasehold.LockInspector;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/**
 * Health indicator that acquires and releases a lock of an engine: a store that only
 * responds, such as a read-only replica or a full one, is down. The result is reused for
 * five seconds. Thread-safe; blocks like {@link io.leasehold.LockInspector#probe}.
 */
public class LockEngineHealthIndicator extends AbstractHealthIndicator {

	private static final long FRESH = Duration.ofSeconds(5).toNanos();

	private static final Log logger = LogFactory.getLog(LockEngineHealthIndicator.class);

	private final LockInspector locks;

	private final String engine;

	private final LongSupplier clock;

	/** Not a monitor, because waiting for a monitor pins virtual threads. */
	private final ReentrantLock probing = new ReentrantLock();

	private volatile @Nullable Probe last;

	public LockEngineHealthIndicator(LockInspector locks, String engine) {
		this(locks, engine, System::nanoTime);
	}

	LockEngineHealthIndicator(LockInspector locks, String engine, LongSupplier clock) {
		super("Engine '%s' granted no lock".formatted(engine));
		this.locks = locks;
		this.engine = engine;
		this.clock = clock;
	}

	@Override
	protected void doHealthCheck(Health.Builder builder) {
		Probe probe = probe();
		builder.withDetail("engine", this.engine);
		String location = this.locks.location(this.engine);
		if (location != null) {
			builder.withDetail("location", location);
		}
		builder.withDetail("latencyMs", TimeUnit.NANOSECONDS.toMicros(probe.nanos()) / 1000.0);
		List<String> findings = this.locks.findings(this.engine);
		if (!findings.isEmpty()) {
			builder.withDetail("findings", findings);
		}
		if (probe.failure() != null) {
			// Not the exception itself, which would be logged at each request
			builder.down().withDetail("error", probe.failure().toString());
		}
		else {
			builder.up();
		}
	}

	/** Return the latest probe; concurrent requests share one. */
	private Probe probe() {
		Probe known = this.last;
		if (known != null && isFresh(known)) {
			return known;
		}
		this.probing.lock();
		try {
			known = this.last;
			if (known == null || !isFresh(known)) {
				known = run();
				this.last = known;
			}
			return known;
		}
		finally {
			this.probing.unlock();
		}
	}

	private boolean isFresh(Probe probe) {
		return this.clock.getAsLong() - probe.ended() < FRESH;
	}

	private Probe run() {
		long started = this.clock.getAsLong();
		LockEngineException failure = null;
		try {
			this.locks.probe(this.engine);
		}
		catch (LockEngineException ex) {
			failure = ex;
			if (this.last == null || this.last.failure() == null) {
				logger.warn("Engine '%s' granted no lock: %s".formatted(this.engine, ex));
				logger.debug("Failure of the health check", ex);
			}
		}
		long ended = this.clock.getAsLong();
		return new Probe(ended, ended - started, failure);
	}

	private record Probe(long ended, long nanos, @Nullable LockEngineException failure) {
	}

}
