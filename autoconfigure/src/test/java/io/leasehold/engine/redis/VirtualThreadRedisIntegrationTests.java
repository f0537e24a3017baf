package io.leasehold.engine.redis;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import io.leasehold.HeldLock;
import io.leasehold.LockOptions;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.load.VirtualThreads;
import io.leasehold.server.RedisTestServer;
import io.leasehold.service.LockService;
import io.leasehold.service.ReleaseTiming;
import io.leasehold.test.contract.Fault;
import io.leasehold.test.contract.TestSettings;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link RedisLockEngine} with virtual threads, on the JDKs that have them.
 */
class VirtualThreadRedisIntegrationTests {

	private static final int WAITERS = 10_000;

	/** So many keys are used beside the one that all want. */
	private static final int KEYS = 100;

	private final RedisEngines engines = RedisEngines.patient(RedisTestServer.shared().port());

	private final List<LockService> services = new ArrayList<>();

	@TempDir
	Path recordings;

	@AfterEach
	void close() {
		this.services.forEach(LockService::close);
		this.engines.close();
	}

	/**
	 * Ten thousand virtual threads of two services, which stand for two processes, wait
	 * for one lock and take their turns: none of them keeps its carrier while it waits.
	 */
	@Fault(64)
	@Test
	void tenThousandOfThemTakeTurnsWithoutPinningTheirCarriers() throws Exception {
		LockService one = service();
		LockService other = service();
		AtomicInteger inside = new AtomicInteger();
		AtomicInteger turns = new AtomicInteger();
		assertThat(VirtualThreads.pinnedBy(WAITERS, (number) -> {
			LockService service = (number % 2 == 0) ? one : other;
			service.acquire("key:" + number % KEYS).close();
			try (HeldLock held = service.acquire("hot")) {
				assertThat(inside.incrementAndGet()).isOne();
				assertThat(held.isValid()).isTrue();
				inside.decrementAndGet();
				turns.incrementAndGet();
			}
		}, this.recordings)).isEmpty();
		assertThat(turns).hasValue(VirtualThreads.WARM_UP + WAITERS);
		// A grant that comes by a message is released after the response to a poll in
		// flight
		await().untilAsserted(() -> assertThat(this.engines.residue()).isEmpty());
	}

	private LockService service() {
		RedisEngines.TestMember process = this.engines.member();
		LockOptions defaults = new LockOptions("test", process.engine().name(), Duration.ofSeconds(30),
				Duration.ofMinutes(10), Duration.ZERO, LockOptions.UNLIMITED);
		LockService service = new LockService(TestSettings.of(defaults), List.of(process.engine()), process.member(),
				MonotonicClock.SYSTEM, List.of(), ReleaseTiming.IMMEDIATE);
		this.services.add(service);
		return service;
	}

}
