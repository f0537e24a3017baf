package io.leasehold.leadership;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;

import io.leasehold.LockOptions;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.local.LocalLockEngine;
import io.leasehold.service.LockService;
import io.leasehold.service.ReleaseTiming;
import io.leasehold.test.contract.TestSettings;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link Leaderships}: instances with two roles, on the local engine.
 */
class LeadershipsTests {

	private final LocalLockEngine store = new LocalLockEngine(MonotonicClock.SYSTEM);

	private final List<LockService> services = new ArrayList<>();

	private final List<Leaderships> instances = new ArrayList<>();

	@AfterEach
	void stop() throws InterruptedException {
		for (Leaderships instance : this.instances) {
			stop(instance);
			instance.close();
		}
		this.services.forEach(LockService::close);
	}

	/** The second one is the first to wait for both. */
	@Test
	void rolesOfAnInstanceThatStopsAreSpread() throws InterruptedException {
		Leaderships first = start();
		await().until(() -> roles(first) == 2);
		Leaderships second = startWaiting();
		Leaderships third = startWaiting();
		stop(first);
		await().until(() -> roles(second) + roles(third) == 2);
		assertThat(roles(second)).isOne();
		assertThat(roles(third)).isOne();
		stop(second);
		await().until(() -> roles(third) == 2);
	}

	private static long roles(Leaderships instance) {
		return instance.candidates().stream().filter(Candidate::isLeader).count();
	}

	private Leaderships startWaiting() {
		Leaderships instance = start();
		LockService service = this.services.get(this.services.size() - 1);
		await().until(() -> service.inspector().overview().waiting().size() == 2);
		return instance;
	}

	private Leaderships start() {
		LockOptions options = new LockOptions("test", "local", Duration.ofMinutes(1), Duration.ZERO, Duration.ZERO,
				LockOptions.UNLIMITED);
		LockService service = new LockService(TestSettings.of(options), List.of(this.store), Member.of("test"),
				MonotonicClock.SYSTEM, List.of(), ReleaseTiming.IMMEDIATE);
		this.services.add(service);
		Leaderships instance = new Leaderships(
				Stream.of("billing", "indexer").map((role) -> new Candidate(role, service, options, (event) -> {
				})).toList());
		this.instances.add(instance);
		instance.start();
		return instance;
	}

	private static void stop(Leaderships instance) throws InterruptedException {
		CountDownLatch ended = new CountDownLatch(1);
		instance.stop(ended::countDown);
		ended.await();
	}

}
