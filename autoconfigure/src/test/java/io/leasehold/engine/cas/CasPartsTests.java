package io.leasehold.engine.cas;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;

import io.leasehold.LockKey;
import io.leasehold.engine.AcquisitionOutcome.Granted;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.Renewal;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.engine.Subscription;
import io.leasehold.test.contract.Fault;
import io.leasehold.test.contract.Parallel;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * {@link CasLockEngine} on a store of two parts, of which one hangs.
 */
class CasPartsTests {

	/** Longer than any pause of a busy machine. */
	private static final Duration CALL_TIMEOUT = Duration.ofSeconds(3);

	private static final Duration LEASE = Duration.ofMinutes(5);

	private final CountDownLatch responds = new CountDownLatch(1);

	private volatile boolean hangs;

	private final Member member = Member.of("parts");

	/** More locks than threads, those of the part that hangs first. */
	@Fault(186)
	@Test
	void partThatHangsDelaysNoRequestsOfTheOther() throws Exception {
		CasSettings settings = new CasSettings("parts", CALL_TIMEOUT, Duration.ofMillis(5), Duration.ofMillis(100),
				Duration.ofMinutes(10));
		try (CasLockEngine engine = new CasLockEngine("parts",
				new BoundedStore("parts", new TwoParts(new MemoryStore(MonotonicClock.SYSTEM)), CALL_TIMEOUT), settings,
				MonotonicClock.SYSTEM)) {
			List<Renewal> hanging = acquire(engine, "hanging", 100);
			List<Renewal> healthy = acquire(engine, "healthy", 10);
			this.hangs = true;
			List<Renewal> all = new ArrayList<>(hanging);
			all.addAll(healthy);
			List<RenewalOutcome> outcomes = engine.renew(all);
			assertThat(outcomes.subList(0, 100)).hasOnlyElementsOfType(RenewalOutcome.Unknown.class);
			assertThat(outcomes.subList(100, 110)).hasOnlyElementsOfType(RenewalOutcome.Renewed.class);
			Parallel.run(IntStream.range(0, 40).<Callable<Void>>mapToObj((i) -> () -> {
				engine.renew(List.of(hanging.get(i)));
				return null;
			}).toList());
			assertThat(engine.subscribe(claim("hanging:0"), (signal) -> {
			})).isNotNull();
			assertThat(engine.renew(healthy)).hasOnlyElementsOfType(RenewalOutcome.Renewed.class);
			assertThat(engine.tryAcquire(claim("healthy:new"))).isInstanceOf(Granted.class);
		}
		finally {
			this.responds.countDown();
		}
	}

	private List<Renewal> acquire(CasLockEngine engine, String part, int locks) {
		return IntStream.range(0, locks).mapToObj((i) -> {
			Claim claim = claim(part + ":" + i);
			return new Renewal(claim, ((Granted) engine.tryAcquire(claim)).number(), LEASE);
		}).toList();
	}

	private Claim claim(String key) {
		return new Claim(new LockKey(key), this.member.newOwner(), LEASE, Duration.ZERO, false, System.nanoTime());
	}

	/** Keys are in the part that they name. */
	private final class TwoParts extends MemoryStore.Connection {

		private TwoParts(MemoryStore store) {
			super(store);
		}

		@Override
		public String part(String key) {
			return key.split(":")[1];
		}

		@Override
		@Nullable Entry reading(String key, MemoryStore.Request<@Nullable Entry> request) throws Exception {
			awaitResponse(key);
			return request.send();
		}

		@Override
		boolean writing(String key, MemoryStore.Request<Boolean> request) throws Exception {
			awaitResponse(key);
			return request.send();
		}

		@Override
		public @Nullable Subscription watch(String key, Runnable changed) throws Exception {
			awaitResponse(key);
			return null;
		}

		private void awaitResponse(String key) throws InterruptedException {
			if (CasPartsTests.this.hangs && key.contains(":hanging:")) {
				CasPartsTests.this.responds.await();
			}
		}

	}

}
