package io.leasehold.leadership;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

import io.leasehold.LockKey;
import io.leasehold.engine.Member;
import io.leasehold.test.contract.Fault;
import io.leasehold.test.contract.ShortLeases;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The contract of an engine that elects leaders, while its store or the network fails. A
 * machine that pauses for a lease only adds terms to a test.
 */
public abstract class LeaderFaultsContract {

	private static final Duration LEASE = Duration.ofSeconds(2);

	private static final LockKey KEY = Candidate.keyOf(Instance.ROLE);

	private final String namespace = "leaders-" + UUID.randomUUID();

	private final List<Routed> instances = new CopyOnWriteArrayList<>();

	/** Terms that began while another instance believed to lead. */
	private final List<Object> overlaps = new CopyOnWriteArrayList<>();

	/** Lets the first instance go on when it leads. */
	private final CountDownLatch listened = new CountDownLatch(1);

	private Routed first;

	private Routed second;

	/**
	 * Connect an instance to the store.
	 * @return a route of its own
	 */
	protected abstract Route connect(String namespace, Member member);

	/** Remove all data of a namespace from the store. */
	protected abstract void empty(String namespace) throws Exception;

	@BeforeEach
	void elect() {
		this.first = start(this.listened);
		await().until(this.first::isLeader);
		this.second = start(new CountDownLatch(0));
		await().until(() -> this.second.isWaiting() || this.second.isLeader());
	}

	private Routed start(CountDownLatch listened) {
		Member member = Member.of("test");
		Routed instance = new Routed(member, connect(this.namespace, member), listened);
		this.instances.add(instance);
		instance.start();
		return instance;
	}

	/** Each term has ended once, before the next one of its instance. */
	@AfterEach
	void stop() throws Exception {
		this.listened.countDown();
		this.instances.forEach((instance) -> instance.route.heal());
		for (Routed instance : this.instances) {
			instance.stop();
			instance.close();
			instance.route.close();
			for (int i = 0; i < instance.events.size(); i++) {
				assertThat(instance.events.get(i))
					.isInstanceOf((i % 2 == 0) ? LeadershipGrantedEvent.class : LeadershipRevokedEvent.class);
			}
			assertThat(instance.terms()).isSorted();
			assertThat(Set.copyOf(instance.terms())).hasSize(instance.events.size() / 2);
		}
	}

	/** Its thread is busy, so that nothing but the clock ends its term. */
	@Test
	@Fault(195)
	void leaderThatIsCutOffLeadsNoMoreWhenAnotherOneDoes() {
		this.first.route.cut();
		await().until(() -> lastTerm(this.second) > lastTerm(this.first));
		assertThat(this.first.isLeader()).isFalse();
		this.first.route.heal();
		this.listened.countDown();
		awaitLoss(this.first);
		await().until(() -> this.first.isWaiting() || this.first.isLeader());
		assertThat(this.overlaps).isEmpty();
	}

	@Test
	@Fault(196)
	void storeThatIsEmptyAfterItsFailureBeginsAGreaterTerm() throws Exception {
		this.listened.countDown();
		this.instances.forEach((instance) -> instance.route.refuse());
		await().until(() -> this.instances.stream().noneMatch(Instance::isLeader));
		long before = greatestTerm();
		empty(this.namespace);
		this.instances.forEach((instance) -> instance.route.heal());
		await().until(() -> greatestTerm() > before);
		awaitLoss(this.first);
		assertThat(this.overlaps).isEmpty();
	}

	/** The former leader may lead until its next renewal. */
	@Test
	@Fault(197)
	void releaseByForceThroughAnotherInstanceEndsTheTerm() {
		this.listened.countDown();
		long before = greatestTerm();
		this.second.service.inspector().forceRelease("", KEY);
		awaitLoss(this.first);
		await().until(() -> greatestTerm() > before);
		await().until(() -> this.first.isLeader() != this.second.isLeader());
	}

	private static void awaitLoss(Instance instance) {
		await().until(() -> instance.events.size() > 1);
		assertThat(instance.events.get(1)).isInstanceOfSatisfying(LeadershipRevokedEvent.class,
				(event) -> assertThat(event.cause()).isEqualTo(RevocationCause.LOST));
	}

	private long greatestTerm() {
		return Math.max(lastTerm(this.first), lastTerm(this.second));
	}

	/** Return the greatest term of an instance, 0 for none. */
	private static long lastTerm(Instance instance) {
		return instance.terms().stream().mapToLong(Long::longValue).max().orElse(0);
	}

	/** An instance that has a route to the store. */
	private final class Routed extends Instance {

		private final Route route;

		private final CountDownLatch listened;

		private Routed(Member member, Route route, CountDownLatch listened) {
			super(member, new ShortLeases(route.engine()), LEASE);
			this.route = route;
			this.listened = listened;
		}

		/** The other one is asked first, since a term that has ended does not overlap. */
		@Override
		void listen(Object event) {
			if (event instanceof LeadershipGrantedEvent) {
				boolean overlap = LeaderFaultsContract.this.instances.stream()
					.anyMatch((other) -> other != this && other.isLeader());
				if (overlap && isLeader()) {
					LeaderFaultsContract.this.overlaps.add(event);
				}
			}
			super.listen(event);
			try {
				this.listened.await();
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		}

	}

}
