package io.leasehold.engine.zookeeper;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.leasehold.LockKey;
import io.leasehold.engine.Access;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.AcquisitionOutcome.Busy;
import io.leasehold.engine.AcquisitionOutcome.Contradicted;
import io.leasehold.engine.AcquisitionOutcome.Granted;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Holder;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.engine.Signal;
import io.leasehold.engine.Subscription;
import io.leasehold.server.ZooKeeperTestServer;
import io.leasehold.test.contract.Claims;
import io.leasehold.test.contract.Parallel;
import org.apache.curator.framework.CuratorFramework;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static io.leasehold.engine.zookeeper.ZooKeeperEngines.granted;
import static io.leasehold.engine.zookeeper.ZooKeeperEngines.renew;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Keys with several owners at once.
 */
@Tag("full")
class ZooKeeperAccessIntegrationTests {

	private final ZooKeeperEngines engines = new ZooKeeperEngines();

	private final CuratorFramework client = this.engines.client(ZooKeeperTestServer.shared(), 60_000);

	private final ZooKeeperLockEngine engine = this.engines.patientEngine(this.client);

	private final ZooKeeperLockEngine other = this.engines
		.patientEngine(this.engines.client(ZooKeeperTestServer.shared(), 60_000));

	private final LockKey key = new LockKey("order:" + UUID.randomUUID());

	@AfterEach
	void close() throws Exception {
		this.engines.close();
	}

	@Test
	void readersShareAKeyAndNonePassesAWaitingWriter() {
		Claim first = claim("s");
		Claim second = claim("s");
		Claim writer = claim("x");
		Claim late = claim("s");
		long a = granted(this.engine, first).number();
		long b = granted(this.other, second).number();
		assertThat(this.engine.tryAcquire(writer)).isInstanceOf(Busy.class);
		assertThat(this.other.tryAcquire(late)).isInstanceOf(Busy.class);
		assertThat(this.engine.inspect(this.key)).extracting(Holder::number).containsExactly(a, b);
		this.engine.release(first);
		assertThat(this.engine.tryAcquire(writer)).isInstanceOf(Busy.class);
		this.other.release(second);
		assertThat(this.other.tryAcquire(late)).isInstanceOf(Busy.class);
		long c = granted(this.engine, writer).number();
		this.engine.release(writer);
		assertThat(List.of(a, b, c, granted(this.other, late).number())).isSorted().doesNotHaveDuplicates();
	}

	@Test
	void readersAreLetInByTheEndOfAWriterThatWaitedInVain() {
		Claim writer = claim("x");
		Claim late = claim("s");
		granted(this.engine, claim("s"));
		assertThat(this.engine.tryAcquire(writer)).isInstanceOf(Busy.class);
		assertThat(this.other.tryAcquire(late)).isInstanceOf(Busy.class);
		this.engine.release(writer);
		granted(this.other, late);
		assertThat(this.engine.inspect(this.key)).hasSize(2);
	}

	@Test
	void asManyAsThereArePermitsHoldAKey() {
		List<Claim> claims = List.of(claim("2"), claim("2"), claim("2"), claim("2"));
		granted(this.engine, claims.get(0));
		granted(this.other, claims.get(1));
		assertThat(this.engine.tryAcquire(claims.get(2))).isInstanceOf(Busy.class);
		assertThat(this.other.tryAcquire(claims.get(3))).isInstanceOf(Busy.class);
		this.other.release(claims.get(1));
		assertThat(this.other.tryAcquire(claims.get(3))).isInstanceOf(Busy.class);
		granted(this.engine, claims.get(2));
		this.engine.release(claims.get(0));
		granted(this.other, claims.get(3));
	}

	@Test
	void thoseWhoHoldAKeyContradictAnotherNumberOfPermits() throws Exception {
		granted(this.engine, claim("2"));
		assertThat(this.other.tryAcquire(claim("x"))).isInstanceOf(Busy.class);
		List<String> nodes = nodes();
		assertThat(this.other.tryAcquire(claim("3"))).isEqualTo(new Contradicted(Access.permits(2)));
		assertThat(nodes()).isEqualTo(nodes);
		assertThat(this.other.liveClaims()).isOne();
	}

	@Test
	void waitersContradictNoClaimUntilTheyHoldTheKey() throws Exception {
		Claim writer = claim("x");
		Claim first = claim("2");
		Claim second = claim("3");
		granted(this.engine, writer);
		assertThat(this.engine.tryAcquire(first)).isInstanceOf(Busy.class);
		assertThat(this.other.tryAcquire(second)).isInstanceOf(Busy.class);
		this.engine.release(writer);
		assertThat(this.other.tryAcquire(second)).isEqualTo(new Contradicted(Access.permits(2)));
		granted(this.engine, first);
		assertThat(nodes()).hasSize(1);
	}

	@Test
	void forcedReleaseTakesAKeyFromAllWhoHoldIt() {
		Claim first = claim("s");
		Claim second = claim("s");
		Claim writer = claim("x");
		Granted a = granted(this.engine, first);
		Granted b = granted(this.other, second);
		assertThat(this.other.tryAcquire(writer)).isInstanceOf(Busy.class);
		assertThat(this.engine.forceRelease(this.key)).extracting(Holder::number)
			.containsExactly(a.number(), b.number());
		assertThat(renew(this.engine, first, a)).isInstanceOf(RenewalOutcome.NotOwner.class);
		assertThat(renew(this.other, second, b)).isInstanceOf(RenewalOutcome.NotOwner.class);
		assertThat(this.engine.release(first)).isInstanceOf(ReleaseOutcome.NotOwner.class);
		granted(this.other, writer);
	}

	@ParameterizedTest
	@CsvSource({ "x, s", "s, x", "1, 1", "22, 2" })
	void releaseBeforeAWatchIsReportedAtOnce(String held, String access) throws Exception {
		List<Claim> holders = Stream.of(held.split("")).map(this::claim).toList();
		holders.forEach((claim) -> granted(this.other, claim));
		Claim waiting = claim(access);
		assertThat(this.engine.tryAcquire(waiting)).isInstanceOf(Busy.class);
		this.other.release(holders.get(0));
		BlockingQueue<Signal> signals = new LinkedBlockingQueue<>();
		this.engine.subscribe(waiting, signals::add);
		assertThat(signals.poll(1, TimeUnit.MINUTES)).isNotNull();
		granted(this.engine, waiting);
	}

	@Test
	void grantBeforeAWatchIsReportedAtOnce() throws Exception {
		Claim holder = claim("2");
		Claim next = claim("2");
		Claim waiting = claim("2");
		granted(this.other, holder);
		granted(this.other, claim("2"));
		assertThat(this.other.tryAcquire(next)).isInstanceOf(Busy.class);
		assertThat(this.engine.tryAcquire(waiting)).isInstanceOf(Busy.class);
		this.other.release(holder);
		granted(this.other, next);
		BlockingQueue<Signal> signals = new LinkedBlockingQueue<>();
		this.engine.subscribe(waiting, signals::add);
		assertThat(signals.poll(1, TimeUnit.MINUTES)).isNotNull();
	}

	/** Without a poll that would hide a message that was never sent. */
	@ParameterizedTest
	@ValueSource(strings = { "3", "223xs" })
	void everybodyIsServedByMessagesAlone(String codes) throws Exception {
		Owners owners = new Owners();
		List<Callable<?>> tasks = new ArrayList<>();
		for (int i = 0; i < 4; i++) {
			ZooKeeperLockEngine patient = this.engines.engine(this.engines.client(ZooKeeperTestServer.shared(), 60_000),
					Duration.ofMinutes(5), Duration.ofSeconds(20));
			for (String code : (codes + codes).split("")) {
				tasks.add(() -> {
					for (int round = 0; round < 30; round++) {
						own(patient, claim(code), owners);
					}
					return null;
				});
			}
		}
		Parallel.run(tasks);
		assertThat(nodes()).isEmpty();
	}

	private static void own(ZooKeeperLockEngine engine, Claim claim, Owners owners) throws InterruptedException {
		BlockingQueue<Signal> signals = new LinkedBlockingQueue<>();
		Subscription subscription = null;
		AcquisitionOutcome attempt = engine.tryAcquire(claim);
		while (attempt instanceof Busy) {
			subscription = (subscription != null) ? subscription : engine.subscribe(claim, signals::add);
			assertThat(message(signals, owners)).as("a message to %s", claim.access()).isNotNull();
			signals.clear();
			attempt = engine.tryAcquire(claim);
		}
		if (attempt instanceof Granted) {
			owners.enter(claim.access());
			owners.leave();
			engine.release(claim);
		}
	}

	/** Wait as long as others own the key meanwhile, which none does for ever. */
	private static @Nullable Signal message(BlockingQueue<Signal> signals, Owners owners) throws InterruptedException {
		int before = owners.turns();
		Signal signal = signals.poll(1, TimeUnit.MINUTES);
		while (signal == null && owners.turns() != before) {
			before = owners.turns();
			signal = signals.poll(1, TimeUnit.MINUTES);
		}
		return signal;
	}

	private Claim claim(String access) {
		return Claims.waiting(this.engines.claim(this.key, access));
	}

	private List<String> nodes() throws Exception {
		String container = "/leasehold/faults/" + this.key.value();
		this.client.sync().forPath(container);
		return this.client.getChildren().forPath(container);
	}

	/**
	 * Those who own the key at the same time.
	 */
	private static final class Owners {

		private Access access = Access.EXCLUSIVE;

		private int count;

		private int turns;

		synchronized int turns() {
			return this.turns;
		}

		synchronized void enter(Access entering) {
			assertThat(entering.joins(this.access, this.count))
				.as("%s beside %d of %s", entering, this.count, this.access)
				.isTrue();
			this.access = entering;
			this.count++;
			this.turns++;
		}

		synchronized void leave() {
			this.count--;
		}

	}

}
