package io.leasehold.engine.jdbc;

import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import io.leasehold.LockOptions;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.event.LockEvent;
import io.leasehold.service.LockService;
import io.leasehold.service.ReleaseTiming;
import io.leasehold.test.contract.TestSettings;

/**
 * A process with a separate engine, and the events that it published.
 */
final class TestService implements AutoCloseable {

	private final JdbcLockEngine engine;

	private final LockService locks;

	private final Queue<LockEvent> events = new ConcurrentLinkedQueue<>();

	/**
	 * Start a process that waits for its locks for a long time.
	 * @param lease lease of its locks
	 */
	TestService(JdbcLockEngine engine, Duration lease) {
		this.engine = engine;
		LockOptions defaults = new LockOptions("test", JdbcLockEngine.NAME, lease, Duration.ofMinutes(1), Duration.ZERO,
				LockOptions.UNLIMITED);
		this.locks = new LockService(TestSettings.of(defaults), List.of(engine), Member.of("shop"),
				MonotonicClock.SYSTEM, List.of(this.events::add), ReleaseTiming.IMMEDIATE);
		engine.start();
	}

	LockService locks() {
		return this.locks;
	}

	/** How many events of a kind there were. */
	<T extends LockEvent> List<T> events(Class<T> type) {
		return this.events.stream().filter(type::isInstance).map(type::cast).toList();
	}

	@Override
	public void close() {
		this.locks.close();
		this.engine.close();
	}

}
