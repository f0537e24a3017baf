package io.leasehold.engine.etcd;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.leasehold.LockKey;
import io.leasehold.LockTerms;
import io.leasehold.engine.Access;
import io.leasehold.engine.AcquisitionOutcome.Busy;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Renewal;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.engine.Subscription;
import io.leasehold.server.EtcdTestServer;
import io.leasehold.test.contract.Claims;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Requests of {@link EtcdLockEngine}, as its server counts them.
 */
@Tag("full")
class EtcdRequestsIntegrationTests {

	private static final LockKey KEY = new LockKey("order:42");

	private static final Pattern COUNT = Pattern
		.compile("grpc_server_started_total\\{grpc_method=\"(\\w+)\",.*\\} (\\S+)");

	private static final HttpClient client = HttpClient.newHttpClient();

	/** Stands still until a test moves it. */
	private final AtomicLong clock = new AtomicLong();

	private final EtcdEngines engines = new EtcdEngines();

	/** Without the engines of other tests, which end their claims later. */
	private final EtcdTestServer server = this.engines.open(EtcdTestServer.start());

	private EtcdLockEngine engine;

	private Map<String, Integer> before;

	/** A session for all leases that needs no keep-alive during the test. */
	@BeforeEach
	void connect() {
		this.engine = this.engines.engine(Duration.ofMinutes(10), Duration.ofMinutes(3), this.clock::get,
				this.server.url());
		lockAndUnlock(this.engines.claim(new LockKey("first")));
		EtcdEngines.eventually().until(() -> counts().getOrDefault("Watch", 0) > 0);
		this.before = counts();
	}

	@AfterEach
	void closeAll() throws Exception {
		this.engines.close();
	}

	@Test
	void uncontendedLockIsOneTransactionToAcquireAndOneToRelease() {
		lockAndUnlock(this.engines.claim(KEY));
		assertThat(requests()).isEqualTo(Map.of("Txn", 2));
	}

	@Test
	void readersAndPermitsCostTheSame() {
		lockAndUnlock(this.engines.claim(KEY, Access.SHARED, Duration.ofSeconds(60)));
		lockAndUnlock(this.engines.claim(KEY, Access.permits(3), Duration.ofSeconds(60)));
		assertThat(requests()).isEqualTo(Map.of("Txn", 4));
	}

	@Test
	void claimThatDoesNotWaitWritesNothingIfItIsBusy() {
		EtcdEngines.granted(this.engine, this.engines.claim(KEY));
		EtcdOperator operator = new EtcdOperator(this.server.url());
		this.before = counts();
		long revision = operator.revision();
		assertThat(this.engine.tryAcquire(this.engines.claim(KEY))).isInstanceOf(Busy.class);
		assertThat(requests()).containsEntry("Txn", 1);
		assertThat(operator.revision()).isEqualTo(revision);
	}

	/**
	 * Its transaction, and a list when its watch on the open stream reports the release.
	 */
	@Test
	void waitingClaimCostsOneListMore() {
		acquireAfterAWait(Duration.ofSeconds(1));
		assertThat(requests()).containsEntry("Range", 1);
		int transactions = awaitSweep();
		assertThat(requests()).containsEntry("Txn", 3 + transactions);
	}

	/** It writes the time of its grant, and the grant does not wait for this write. */
	@Test
	void claimThatWaitsForLongCostsOneMoreTransactionLater() {
		acquireAfterAWait(Duration.ofMillis(1001));
		EtcdEngines.eventually().until(() -> requests().equals(Map.of("Txn", 4, "Range", 1)));
	}

	/**
	 * Wait until the sweeper, which ends leases first, has done all that is due: a lease
	 * that is granted after the end of another one ends in a later sweep.
	 * @return how many transactions this took
	 */
	private int awaitSweep() {
		List<LockKey> keys = List.of(new LockKey("earlier"), new LockKey("later"));
		for (LockKey key : keys) {
			EtcdEngines.granted(this.engine, this.engines.claim(key, Access.EXCLUSIVE, Duration.ofSeconds(1)));
			this.clock.addAndGet(Duration.ofSeconds(1).toNanos());
			EtcdEngines.eventually().until(() -> this.engine.inspect(key).isEmpty());
		}
		return 2 * keys.size();
	}

	private void acquireAfterAWait(Duration wait) {
		Claim holder = this.engines.claim(KEY);
		EtcdEngines.granted(this.engine, holder);
		Claim waiting = Claims.waiting(this.engines.claim(KEY));
		AtomicInteger signals = new AtomicInteger();
		assertThat(this.engine.tryAcquire(waiting)).isInstanceOf(Busy.class);
		Subscription open = this.engine.subscribe(waiting, (signal) -> signals.incrementAndGet());
		EtcdEngines.eventually().until(() -> EtcdOperator.watches(this.server.url()) == 2);
		this.clock.addAndGet(wait.toNanos());
		this.engine.release(holder);
		EtcdEngines.eventually().until(() -> signals.get() > 0);
		open.close();
		EtcdEngines.granted(this.engine, waiting);
	}

	@Test
	void renewalOfManyLocksIsTwoRequestsForEach127() {
		List<Renewal> renewals = new ArrayList<>();
		for (int i = 0; i < 2 * Renewer.BATCH; i++) {
			Claim claim = this.engines.claim(new LockKey("batch:" + i));
			renewals.add(new Renewal(claim, EtcdEngines.granted(this.engine, claim).number(), claim.lease()));
		}
		this.before = counts();
		assertThat(this.engine.renew(renewals)).hasOnlyElementsOfType(RenewalOutcome.Renewed.class);
		assertThat(requests()).isEqualTo(Map.of("LeaseKeepAlive", 2, "Txn", 2));
	}

	/** One with a minimum hold that is longer than its lease has no keep-alive. */
	@Test
	void renewalOfALockWithALeaseOfItsOwnIsOneRequestMore() {
		List<Renewal> renewals = new ArrayList<>();
		for (Duration minHold : List.of(Duration.ofSeconds(1), Duration.ofSeconds(2), Duration.ofMinutes(10))) {
			Claim claim = this.engines.claim(new LockKey("kept:" + minHold),
					new LockTerms(Duration.ofMinutes(5), minHold));
			renewals.add(new Renewal(claim, EtcdEngines.granted(this.engine, claim).number(), claim.lease()));
		}
		this.before = counts();
		assertThat(this.engine.renew(renewals)).hasOnlyElementsOfType(RenewalOutcome.Renewed.class);
		assertThat(requests()).isEqualTo(Map.of("LeaseKeepAlive", 3, "Txn", 1));
	}

	@Test
	void minimumHoldCostsALeaseAndAWriteMore() {
		lockAndUnlock(this.engines.claim(KEY, new LockTerms(Duration.ofSeconds(5), Duration.ofSeconds(60))));
		assertThat(requests()).isEqualTo(Map.of("Txn", 3, "LeaseGrant", 1));
	}

	private void lockAndUnlock(Claim claim) {
		EtcdEngines.granted(this.engine, claim);
		this.engine.release(claim);
	}

	/** Return the requests since the test began, by their names. */
	private Map<String, Integer> requests() {
		Map<String, Integer> counts = counts();
		this.before.forEach((name, count) -> counts.merge(name, count, (now, then) -> now - then));
		counts.values().removeIf((count) -> count == 0);
		return counts;
	}

	private Map<String, Integer> counts() {
		HttpRequest request = HttpRequest.newBuilder(URI.create(this.server.url() + "/metrics")).build();
		try {
			Matcher matcher = COUNT.matcher(client.send(request, HttpResponse.BodyHandlers.ofString()).body());
			Map<String, Integer> counts = new TreeMap<>();
			while (matcher.find()) {
				// Several services may have a method of that name
				counts.merge(matcher.group(1), (int) Double.parseDouble(matcher.group(2)), Integer::sum);
			}
			return counts;
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

}
