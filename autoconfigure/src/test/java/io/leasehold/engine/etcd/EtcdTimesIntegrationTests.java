package io.leasehold.engine.etcd;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

import io.grpc.Status;
import io.leasehold.LockKey;
import io.leasehold.LockTerms;
import io.leasehold.engine.Access;
import io.leasehold.engine.AcquisitionOutcome.Busy;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Holder;
import io.leasehold.engine.KeptKeys.Kept;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.server.EtcdTestServer;
import io.leasehold.server.FaultProxy;
import io.leasehold.test.contract.Claims;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Times that {@link EtcdLockEngine} shows, by the wall clock of its process.
 */
@Tag("full")
class EtcdTimesIntegrationTests {

	private static final LockKey KEY = new LockKey("order:42");

	private static final Duration HOUR = Duration.ofHours(1);

	/** How far the wall clock is ahead of that of the machine. */
	private final AtomicLong ahead = new AtomicLong();

	/** How far the clock of the engine is ahead of that of the JVM. */
	private final AtomicLong passed = new AtomicLong();

	private final EtcdEngines engines = new EtcdEngines();

	private final String url = EtcdTestServer.shared().url();

	private final EtcdLockEngine other = this.engines.engine(this.url);

	@AfterEach
	void closeAll() throws Exception {
		this.engines.close();
	}

	/** The store responds late to the requests that begin the session. */
	@Test
	void grantIsNotShownLaterThanItWas() {
		FaultProxy proxy = this.engines.proxy();
		proxy.replies().delay(Duration.ofMillis(200));
		EtcdLockEngine engine = this.engines.engine(EtcdEngines.url(proxy));
		Instant before = Instant.now();
		EtcdEngines.granted(engine, this.engines.claim(KEY));
		assertThat(since()).isBetween(before.minusMillis(2), Instant.now());
	}

	/** As by an operator, or by the first contact with a time server. */
	@Test
	void timesFollowAWallClockThatIsSetDuringASession() {
		EtcdLockEngine engine = engine(this.url);
		EtcdEngines.granted(engine, this.engines.claim(new LockKey("first")));
		this.ahead.set(HOUR.toNanos());
		Instant before = Instant.now().plus(HOUR);
		Claim claim = this.engines.claim(KEY, new LockTerms(Duration.ofSeconds(30), Duration.ofMinutes(5)));
		EtcdEngines.granted(engine, claim);
		Instant since = since();
		assertThat(since).isBetween(before.minusMillis(2), Instant.now().plus(HOUR));
		this.ahead.set(2 * HOUR.toNanos());
		engine.release(claim);
		Kept kept = this.other.keptKeys().find(KEY);
		assertThat(kept.last().since()).isEqualTo(since);
		assertThat(kept.released()).isBetween(before.plus(HOUR).minusMillis(2), Instant.now().plus(HOUR).plus(HOUR));
	}

	/** The store fails after the grant. */
	@Test
	void timeOfAGrantAfterAWaitIsWrittenUntilThisSucceeds() {
		EtcdRelay relay = this.engines.open(new EtcdRelay(this.url));
		EtcdLockEngine engine = engine(relay.url());
		Claim waiting = waitedForAnHour(engine);
		Instant before = Instant.now().plus(HOUR);
		AtomicInteger failures = new AtomicInteger();
		relay.beforeClaims(() -> {
			failures.incrementAndGet();
			throw new IllegalStateException("The store fails");
		});
		EtcdEngines.granted(engine, waiting);
		Instant after = Instant.now().plus(HOUR);
		EtcdEngines.eventually().until(() -> failures.get() > 1);
		relay.beforeClaims(() -> {
		});
		EtcdEngines.eventually().untilAsserted(() -> assertThat(since()).isBetween(before.minusMillis(2), after));
		EtcdEngines.repeated(() -> engine.release(waiting));
		assertThat(this.other.inspect(KEY)).isEmpty();
	}

	/** Such as a store without space, which still removes keys. */
	@Test
	void timeOfAGrantThatTheStoreRejectsDoesNotDelayTheEndOfLeases() {
		EtcdRelay relay = this.engines.open(new EtcdRelay(this.url));
		EtcdLockEngine engine = engine(relay.url());
		Claim waiting = waitedForAnHour(engine);
		AtomicInteger writes = new AtomicInteger();
		relay.beforeClaims(() -> {
			if (writes.incrementAndGet() == 1) {
				throw new CompletionException(new EtcdException(Status.Code.RESOURCE_EXHAUSTED, "No space", null));
			}
		});
		EtcdEngines.granted(engine, waiting);
		EtcdEngines.eventually().until(() -> writes.get() > 0);
		LockKey shortKey = new LockKey("short");
		EtcdEngines.granted(engine, this.engines.claim(shortKey, Access.EXCLUSIVE, Duration.ofSeconds(1)));
		EtcdEngines.eventually().until(() -> this.other.inspect(shortKey).isEmpty());
		assertThat(since()).as("not written again").isBefore(Instant.now().plusSeconds(1));
		assertThat(engine.release(waiting)).isEqualTo(ReleaseOutcome.RELEASED);
	}

	/** A process has waited for the locks of another one that ends. */
	@Test
	void timesOfManyGrantsDoNotDelayTheEndOfLeases() {
		EtcdRelay relay = this.engines.open(new EtcdRelay(this.url));
		EtcdLockEngine engine = engine(relay.url());
		Duration shorter = Duration.ofSeconds(20);
		LockKey shortKey = new LockKey("short");
		EtcdEngines.granted(engine, this.engines.claim(shortKey, Access.EXCLUSIVE, shorter));
		List<Claim> held = IntStream.range(0, 40).mapToObj((i) -> this.engines.claim(new LockKey("key-" + i))).toList();
		held.forEach((claim) -> EtcdEngines.granted(this.other, claim));
		List<Claim> waiting = held.stream().map((claim) -> Claims.waiting(this.engines.claim(claim.key()))).toList();
		waiting.forEach((claim) -> assertThat(engine.tryAcquire(claim)).isInstanceOf(Busy.class));
		this.ahead.set(HOUR.toNanos());
		Instant before = Instant.now().plus(HOUR);
		held.forEach(this.other::release);
		AtomicBoolean granted = new AtomicBoolean();
		AtomicInteger writesBeforeTheEnd = new AtomicInteger();
		relay.beforeClaims(() -> {
			Awaitility.await().untilTrue(granted);
			this.passed.set(shorter.toNanos());
			if (!this.other.inspect(shortKey).isEmpty()) {
				writesBeforeTheEnd.incrementAndGet();
			}
		});
		waiting.forEach((claim) -> EtcdEngines.granted(engine, claim));
		granted.set(true);
		EtcdEngines.eventually()
			.untilAsserted(() -> assertThat(waiting)
				.allSatisfy((claim) -> assertThat(this.other.inspect(claim.key()).get(0).since())
					.isAfter(before.minusMillis(2))));
		assertThat(writesBeforeTheEnd).hasValueLessThan(4);
		assertThat(this.other.inspect(shortKey)).isEmpty();
	}

	/** Return a claim whose turn comes by the release of another one after an hour. */
	private Claim waitedForAnHour(EtcdLockEngine engine) {
		Claim holder = this.engines.claim(KEY);
		EtcdEngines.granted(this.other, holder);
		Claim waiting = Claims.waiting(this.engines.claim(KEY));
		assertThat(engine.tryAcquire(waiting)).isInstanceOf(Busy.class);
		this.ahead.set(HOUR.toNanos());
		this.other.release(holder);
		return waiting;
	}

	private EtcdLockEngine engine(String address) {
		return this.engines.engine(Duration.ofMinutes(2), new MonotonicClock() {

			@Override
			public long nanoTime() {
				return System.nanoTime() + EtcdTimesIntegrationTests.this.passed.get();
			}

			@Override
			public long wallClockOffset(long now) {
				return SYSTEM.wallClockOffset(now) + EtcdTimesIntegrationTests.this.ahead.get();
			}

		}, address);
	}

	private Instant since() {
		return this.other.inspect(KEY).stream().map(Holder::since).findFirst().orElseThrow();
	}

}
