package io.leasehold.engine.hazelcast;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.map.IMap;
import io.leasehold.LockKey;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.AcquisitionOutcome.Busy;
import io.leasehold.engine.AcquisitionOutcome.Granted;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.Renewal;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.engine.Subscription;
import io.leasehold.engine.cas.BoundedStore;
import io.leasehold.engine.cas.CasLockEngine;
import io.leasehold.engine.cas.CasSettings;
import io.leasehold.server.HazelcastTestCluster;
import io.leasehold.test.contract.Claims;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Requests of the engine on {@link HazelcastStore}: operations of its map, each of which
 * is a request to a member.
 */
@Tag("full")
class HazelcastRequestsIntegrationTests {

	private static final Duration TIMEOUT = Duration.ofSeconds(10);

	private static final Duration RETENTION = Duration.ofDays(1);

	private final Map<String, Integer> requests = new ConcurrentHashMap<>();

	/** With one poll interval: a mark is written again only if it is too short. */
	private final CasLockEngine engine = new CasLockEngine(HazelcastStore.NAME,
			new BoundedStore(HazelcastStore.NAME, HazelcastStore.open(counted(), "requests", RETENTION), TIMEOUT),
			new CasSettings("requests", TIMEOUT, TIMEOUT, TIMEOUT, RETENTION), MonotonicClock.SYSTEM);

	private final Member member = Member.of("test");

	@BeforeEach
	void lockIsFreeAndWasUsed() {
		this.engine.forceRelease(claim().key());
		Claim claim = claim();
		granted(claim);
		release(claim);
		this.requests.clear();
	}

	@AfterEach
	void close() {
		this.engine.close();
	}

	@Test
	void freeLockIsThreeRequestsAndItsReleaseThreeAndOneInTheBackground() {
		Claim claim = claim();
		granted(claim);
		assertRequests(Map.of("get", 1, "set", 1, "replace", 1));
		release(claim);
		assertRequests(Map.of("get", 1, "containsKey", 1, "replace", 1, "removeAsync", 1));
	}

	@Test
	void renewalIsFourRequestsAndOneInTheBackground() {
		Claim claim = claim();
		long number = granted(claim).number();
		this.requests.clear();
		assertThat(this.engine.renew(List.of(new Renewal(claim, number, claim.lease()))))
			.hasOnlyElementsOfType(RenewalOutcome.Renewed.class);
		assertRequests(Map.of("get", 1, "containsKey", 1, "set", 1, "replace", 1, "removeAsync", 1));
	}

	@Test
	void waiterIsTwoRequestsForItsMarkTwoForEachPollAndAListener() {
		granted(claim());
		this.requests.clear();
		Claim waiting = Claims.waiting(claim());
		assertThat(this.engine.tryAcquire(waiting)).isInstanceOf(Busy.class);
		assertRequests(Map.of("get", 1, "containsKey", 1, "set", 1, "replace", 1, "removeAsync", 1));
		assertThat(this.engine.tryAcquire(waiting)).isInstanceOf(Busy.class);
		assertRequests(Map.of("get", 1, "containsKey", 1));
		Subscription subscription = this.engine.subscribe(waiting, (signal) -> {
		});
		assertRequests(Map.of("addEntryListener", 1, "get", 1, "containsKey", 1));
		subscription.close();
		Awaitility.await()
			.atMost(Duration.ofSeconds(30))
			.untilAsserted(() -> assertThat(this.requests).isEqualTo(Map.of("removeEntryListener", 1)));
	}

	@Test
	void claimThatDoesNotWaitIsTwoRequests() {
		granted(claim());
		this.requests.clear();
		assertThat(this.engine.tryAcquire(claim())).isInstanceOf(Busy.class);
		assertRequests(Map.of("get", 1, "containsKey", 1));
	}

	/** Assert the requests since the last call. */
	private void assertRequests(Map<String, Integer> expected) {
		assertThat(this.requests).isEqualTo(expected);
		this.requests.clear();
	}

	private HazelcastInstance counted() {
		return counted(HazelcastInstance.class, HazelcastTestCluster.shared(), (method,
				result) -> (result instanceof IMap<?, ?> map) ? counted(IMap.class, map, (operation, value) -> {
					this.requests.merge(operation, 1, Integer::sum);
					return value;
				}) : result);
	}

	private static <T> T counted(Class<T> type, T target, Observer observer) {
		return type
			.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type }, (proxy, method, arguments) -> {
				try {
					return observer.called(method.getName(), method.invoke(target, arguments));
				}
				catch (InvocationTargetException ex) {
					throw ex.getCause();
				}
			}));
	}

	private Claim claim() {
		return new Claim(new LockKey("order:42"), this.member.newOwner(), Duration.ofMinutes(1), Duration.ZERO, false,
				System.nanoTime());
	}

	private Granted granted(Claim claim) {
		AcquisitionOutcome outcome = this.engine.tryAcquire(claim);
		assertThat(outcome).isInstanceOf(Granted.class);
		return (Granted) outcome;
	}

	private void release(Claim claim) {
		assertThat(this.engine.release(claim)).isInstanceOf(ReleaseOutcome.Released.class);
	}

	/** Observer of the calls of an object. */
	private interface Observer {

		@Nullable Object called(String method, @Nullable Object result);

	}

}
