package io.leasehold.engine.redis;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import io.leasehold.HeldLock;
import io.leasehold.LockOptions;
import io.leasehold.server.FaultProxy;
import io.leasehold.server.RedisTestServer;
import io.leasehold.service.LockService;
import io.leasehold.test.contract.ParkedLocks;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Many parked locks that nobody wants any more at the same time, on a network with a
 * round trip of five milliseconds.
 */
@Tag("full")
class RedisReturnsIntegrationTests {

	private static final int PARKED = 6000;

	private static final int SAMPLES = 25;

	private static final LockOptions PLAIN = new LockOptions("test", RedisLockEngine.NAME, Duration.ofMinutes(2),
			Duration.ofSeconds(60), Duration.ZERO, LockOptions.UNLIMITED);

	private static final LockOptions LINGERS = PLAIN.toBuilder().linger(Duration.ofSeconds(15)).build();

	private final RedisEngines engines = RedisEngines.patient(RedisTestServer.shared().port());

	private final FaultProxy network = FaultProxy.to(RedisTestServer.shared().port());

	private final LockService locks = service(this.network.port());

	private final LockService other = service(RedisTestServer.shared().port());

	@AfterEach
	void close() throws IOException {
		this.engines.close();
		this.network.close();
	}

	private LockService service(int port) {
		return this.engines.service(this.engines.member(port), (event) -> {
		});
	}

	@Test
	void returnsOfManyLocksDelayNeitherOtherProcessesNorOtherReleases() {
		this.network.requests().delay(Duration.ofNanos(2_500_000));
		this.network.replies().delay(Duration.ofNanos(2_500_000));
		park("quiet", SAMPLES);
		long wanted = median("quiet", this::acquiresElsewhere);
		long released = median("free", this::acquiresElsewhereAfterRelease);
		park("busy", PARKED);
		await().pollDelay(Duration.ZERO)
			.atMost(Duration.ofMinutes(2))
			.until(() -> parked() < PARKED - SAMPLES && parked() > 0);
		long wantedMeanwhile = median("busy", this::acquiresElsewhereIfParked);
		long releasedMeanwhile = median("meanwhile", this::acquiresElsewhereAfterRelease);
		assertThat(wantedMeanwhile).as("ns until another process has a parked lock").isLessThan(10 * wanted);
		assertThat(releasedMeanwhile).as("ns until another process has a released lock").isLessThan(10 * released);
		assertThat(parked()).as("locks that are still parked").isPositive();
	}

	/** Acquire and release many locks of one process. Keys that are used again linger. */
	private void park(String name, int number) {
		List<CompletableFuture<Void>> parked = IntStream.range(0, number)
			.mapToObj((i) -> uses(name + i).thenCompose((first) -> uses(name + i)))
			.toList();
		parked.forEach(CompletableFuture::join);
	}

	private CompletableFuture<Void> uses(String key) {
		return this.locks.acquireAsync(key, LINGERS).thenAccept(HeldLock::close);
	}

	private int parked() {
		return ParkedLocks.of(this.locks).size();
	}

	private void acquiresElsewhere(String key) {
		this.other.acquire(key, PLAIN).close();
	}

	/** The last ones were parked last. */
	private void acquiresElsewhereIfParked(String key) {
		acquiresElsewhere("busy" + (PARKED - 1 - Integer.parseInt(key.substring("busy".length()))));
	}

	private void acquiresElsewhereAfterRelease(String key) {
		this.locks.acquireAsync(key, PLAIN).join().close();
		acquiresElsewhere(key);
	}

	private static long median(String name, Consumer<String> use) {
		return IntStream.range(0, SAMPLES).mapToLong((i) -> {
			long begun = System.nanoTime();
			use.accept(name + i);
			return System.nanoTime() - begun;
		}).sorted().skip(SAMPLES / 2).findFirst().getAsLong();
	}

}
