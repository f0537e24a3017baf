package io.leasehold.engine.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

import io.leasehold.HeldLock;
import io.leasehold.LockOptions;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.redis.RedisEngines.TestMember;
import io.leasehold.server.RedisTestServer;
import io.leasehold.service.LockService;
import io.leasehold.service.OnLost;
import io.leasehold.service.ReleaseTiming;
import io.leasehold.service.ServiceSettings;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for the order in which callers of several processes are served.
 */
class RedisOrderIntegrationTests {

	private static final String KEY = "ordered";

	private final RedisEngines engines = RedisEngines.patient(RedisTestServer.shared().port());

	private final List<LockService> services = new ArrayList<>();

	private final List<String> served = new CopyOnWriteArrayList<>();

	private final List<CompletableFuture<Void>> callers = new ArrayList<>();

	@AfterEach
	void close() {
		this.services.forEach(LockService::close);
		this.engines.close();
	}

	@Test
	void processesAreServedInTheirOrderOfArrival() {
		HeldLock held = service(63).acquire(KEY);
		List<LockService> processes = List.of(service(63), service(63), service(63), service(63));
		for (int process = 0; process < processes.size(); process++) {
			call(processes.get(process), "process " + process);
		}
		assertThat(servedAfter(held)).containsExactly("process 0", "process 1", "process 2", "process 3");
	}

	@Test
	void callersOfAProcessAreServedBeforeAnotherProcessThatCameBetweenThem() {
		assertThat(orderOfTwoProcesses(63)).containsExactly("a1", "a2", "a3", "b1", "b2");
	}

	/**
	 * Each process has one place in the store's queue, for the first of its callers. The
	 * next one gets a place behind the other process, or later if that is faster.
	 */
	@Test
	void processesTakeTurnsWithoutLocalPasses() {
		assertThat(orderOfTwoProcesses(0)).startsWith("a1", "b1")
			.containsExactlyInAnyOrder("a1", "a2", "a3", "b1", "b2");
	}

	private List<String> orderOfTwoProcesses(int maxConsecutive) {
		LockService a = service(maxConsecutive);
		LockService b = service(maxConsecutive);
		HeldLock held = service(maxConsecutive).acquire(KEY);
		call(a, "a1");
		call(b, "b1");
		call(a, "a2");
		call(a, "a3");
		call(b, "b2");
		return servedAfter(held);
	}

	private List<String> servedAfter(HeldLock held) {
		held.close();
		this.callers.forEach(CompletableFuture::join);
		return this.served;
	}

	/** Begin to wait behind those who wait already. */
	private void call(LockService service, String name) {
		int before = service.inspector().overview().waiting().size();
		long processes = queue();
		this.callers.add(service.acquireAsync(KEY).thenAccept((lock) -> {
			this.served.add(name);
			lock.close();
		}));
		await().until(() -> service.inspector().overview().waiting().size() == before + 1);
		if (before == 0) { // the process gets its place in the store's queue
			await().until(() -> queue() == processes + 1);
		}
	}

	/** Return how many processes wait in the store's queue. */
	private long queue() {
		return this.engines.server().zcard(this.engines.keys(KEY).queue());
	}

	private LockService service(int maxConsecutive) {
		TestMember member = this.engines.member();
		LockOptions defaults = new LockOptions("test", member.engine().name(), Duration.ofSeconds(60),
				Duration.ofSeconds(30), Duration.ZERO, LockOptions.UNLIMITED);
		LockService service = new LockService(
				new ServiceSettings(defaults, OnLost.THROW, maxConsecutive, Duration.ofSeconds(30)),
				List.of(member.engine()), member.member(), MonotonicClock.SYSTEM, List.of(), ReleaseTiming.IMMEDIATE);
		this.services.add(service);
		return service;
	}

}
