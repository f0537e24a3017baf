package io.leasehold.service;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;

import io.leasehold.HeldLock;
import io.leasehold.LockOptions;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.local.LocalLockEngine;
import io.leasehold.event.LockEvent;

/**
 * Two processes that share a store in memory, for tests of the service.
 */
abstract class LockServiceFixture {

	final LocalLockEngine store = new LocalLockEngine(MonotonicClock.SYSTEM);

	final List<LockEvent> events = new CopyOnWriteArrayList<>();

	final LockService here = service(63, OnLost.THROW);

	final LockService there = service(63, OnLost.THROW);

	@AfterEach
	void close() {
		this.here.close();
		this.there.close();
	}

	static long closeAndToken(CompletableFuture<HeldLock> future) {
		HeldLock held = future.orTimeout(30, TimeUnit.SECONDS).join();
		held.close();
		return held.fencingToken();
	}

	void awaitWaiting(int count) {
		Awaitility.await()
			.until(() -> this.events.stream().filter(LockEvent.WaitStarted.class::isInstance).count() == count);
	}

	LockOptions waiting(Duration waitTime) {
		return this.here.defaults().toBuilder().waitTime(waitTime).build();
	}

	LockOptions lease(Duration lease) {
		return this.here.defaults().toBuilder().lease(lease).build();
	}

	LockService service(int handoffs, OnLost onLost) {
		return service(this.store, settings(handoffs, onLost));
	}

	LockService service(LockEngine engine) {
		return service(engine, settings(63, OnLost.THROW));
	}

	LockService service(LockEngine engine, ServiceSettings settings) {
		return service(engine, settings, MonotonicClock.SYSTEM);
	}

	LockService service(LockEngine engine, MonotonicClock clock) {
		return service(engine, settings(63, OnLost.THROW), clock);
	}

	LockService service(LockEngine engine, ServiceSettings settings, MonotonicClock clock) {
		return new LockService(settings, List.of(engine), Member.of("test"), clock, List.of(this.events::add),
				ReleaseTiming.IMMEDIATE);
	}

	static ServiceSettings settings(int handoffs, OnLost onLost) {
		LockOptions defaults = new LockOptions("test", "local", Duration.ofMinutes(1), Duration.ofSeconds(30),
				Duration.ZERO, LockOptions.UNLIMITED);
		return new ServiceSettings(defaults, onLost, handoffs, Duration.ofMinutes(1));
	}

}
