package io.leasehold.leadership;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import io.leasehold.DistributedLocks;
import io.leasehold.HeldLock;
import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Claim;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.local.LocalLockEngine;
import io.leasehold.event.LockEvent;
import io.leasehold.test.contract.DelegatingEngine;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link Candidate}: two instances in one process, on the local engine.
 */
@ExtendWith(OutputCaptureExtension.class)
class CandidateTests {

	private static final LockKey ROLE = new LockKey("leasehold:role:billing");

	private final LocalLockEngine store = new LocalLockEngine(MonotonicClock.SYSTEM);

	private final List<Instance> instances = new ArrayList<>();

	/** Lets the listeners of a test go on. */
	private final CountDownLatch listened = new CountDownLatch(1);

	@AfterEach
	void stop() throws InterruptedException {
		this.listened.countDown();
		for (Instance instance : this.instances) {
			instance.stop();
		}
		await().until(() -> this.store.size() == 0);
		this.instances.forEach(Instance::close);
	}

	@Test
	void oneLeadsAndTheOtherFollowsIt() throws InterruptedException {
		Instance first = new LocalInstance();
		first.start();
		await().until(first.candidate::isLeader);
		Instance second = new LocalInstance();
		second.start();
		await().until(second::isWaiting);
		assertThat(second.candidate.isLeader()).isFalse();
		assertThat(second.candidate.term()).isEmpty();
		long term = first.candidate.term().orElseThrow();
		first.stop();
		await().until(second.candidate::isLeader);
		assertThat(first.candidate.isLeader()).isFalse();
		assertThat(first.events).containsExactly(new LeadershipGrantedEvent("billing", term),
				new LeadershipRevokedEvent("billing", term, RevocationCause.SHUTDOWN));
		assertThat(second.candidate.term().orElseThrow()).isGreaterThan(term);
	}

	@Test
	void leaderThatStepsDownIsNoCandidateForThePause() {
		Instance first = new LocalInstance();
		first.start();
		await().until(first.candidate::isLeader);
		Instance second = new LocalInstance();
		second.start();
		await().until(second::isWaiting);
		first.candidate.stepDown(Duration.ofHours(1));
		await().until(second.candidate::isLeader);
		assertThat(first.service.inspector().overview().waiting()).isEmpty();
		second.candidate.stepDown(Duration.ZERO);
		await().until(() -> second.events.size() == 3);
		assertThat(second.candidate.isLeader()).isTrue();
		assertThat(second.terms()).isSorted().hasSize(3);
		assertThatIllegalArgumentException().isThrownBy(() -> second.candidate.stepDown(Duration.ofMillis(-1)))
			.withMessageContaining("'billing'");
	}

	@Test
	void candidateThatStepsDownBeforeItLeadsWaitsNoMore() {
		Instance first = new LocalInstance();
		first.start();
		await().until(first.candidate::isLeader);
		Instance second = new LocalInstance();
		second.start();
		await().until(second::isWaiting);
		second.candidate.stepDown(Duration.ofHours(1));
		await().until(() -> second.service.inspector().overview().waiting().isEmpty());
		assertThat(second.events).isEmpty();
	}

	@Test
	void leaderThatLostItsLockIsRevokedAndStandsAgain() {
		Instance first = new LocalInstance();
		first.start();
		await().until(first.candidate::isLeader);
		first.service.inspector().forceRelease("", ROLE);
		await().until(() -> first.events.size() == 3);
		assertThat(first.events.get(1)).isInstanceOfSatisfying(LeadershipRevokedEvent.class,
				(event) -> assertThat(event.cause()).isEqualTo(RevocationCause.LOST));
		assertThat(first.terms()).isSorted().hasSize(3);
		assertThat(first.candidate.isLeader()).isTrue();
	}

	@Test
	void nobodyLeadsUntilListenersOfTheFormerLeaderReturn() throws InterruptedException {
		CountDownLatch listening = new CountDownLatch(1);
		Instance first = new LocalInstance() {

			@Override
			void listen(Object event) {
				super.listen(event);
				if (event instanceof LeadershipRevokedEvent) {
					listening.countDown();
					awaitLatch(CandidateTests.this.listened);
				}
			}

		};
		first.start();
		await().until(first.candidate::isLeader);
		Instance second = new LocalInstance();
		second.start();
		await().until(second::isWaiting);
		first.candidate.stepDown(Duration.ofHours(1));
		listening.await();
		assertThat(first.candidate.isLeader()).isFalse();
		assertThat(this.store.size()).isOne();
		assertThat(second.candidate.isLeader()).isFalse();
		this.listened.countDown();
		await().until(second.candidate::isLeader);
	}

	/** A listener in another language than Java throws any exception. */
	@Test
	void listenerThatFailsEndsNothing() throws InterruptedException {
		Instance first = new LocalInstance() {

			@Override
			void listen(Object event) {
				super.listen(event);
				CandidateTests.<RuntimeException>raise(new IOException("on purpose"));
			}

		};
		first.start();
		await().until(first.candidate::isLeader);
		first.candidate.stepDown(Duration.ZERO);
		await().until(() -> first.events.size() == 3);
		assertThat(first.candidate.isLeader()).isTrue();
		first.service.inspector().forceRelease("", ROLE);
		await().until(() -> first.events.size() == 5);
		first.stop();
		assertThat(this.store.size()).isZero();
	}

	@Test
	void candidateOutlastsAStoreThatIsDown() {
		this.store.faults().setDown(true);
		Instance first = new LocalInstance();
		first.start();
		await().until(first::isWaiting);
		this.store.faults().setDown(false);
		await().until(first.candidate::isLeader);
	}

	/** Such as of a bean that decorates the service. */
	@Test
	void candidateStandsAgainAfterAnExceptionOfTheCall(CapturedOutput output) throws InterruptedException {
		Instance instance = new LocalInstance();
		AtomicInteger calls = new AtomicInteger();
		DistributedLocks failing = (DistributedLocks) Proxy.newProxyInstance(getClass().getClassLoader(),
				new Class<?>[] { DistributedLocks.class }, (proxy, method, arguments) -> {
					if (calls.incrementAndGet() == 1) {
						throw new IllegalStateException("not yet");
					}
					return method.invoke(instance.service, arguments);
				});
		try (Candidate candidate = new Candidate("billing", failing, instance.candidate.options(), (event) -> {
		})) {
			Instance.start(candidate);
			await().until(candidate::isLeader);
			assertThat(output).containsOnlyOnce("Could not acquire the lock of role 'billing'").contains("not yet");
			CountDownLatch ended = new CountDownLatch(1);
			candidate.stop(ended::countDown);
			ended.await();
		}
	}

	@Test
	void roleThatCannotBeTakenIsReportedOnce(CapturedOutput output) {
		AtomicInteger requests = new AtomicInteger();
		Instance first = new LocalInstance(new DelegatingEngine(this.store) {

			@Override
			public AcquisitionOutcome tryAcquire(Claim claim) {
				if (requests.incrementAndGet() < 3) {
					throw new LockEngineException(claim.key(), "There is no table", null, false);
				}
				return super.tryAcquire(claim);
			}

		});
		first.start();
		await().until(first.candidate::isLeader);
		assertThat(output).containsOnlyOnce("Could not acquire the lock of role 'billing'")
			.contains("There is no table");
	}

	@Test
	void lockOfARoleHasNoEventsButItsLoss() throws InterruptedException {
		Instance first = new LocalInstance();
		first.start();
		await().until(first.candidate::isLeader);
		Instance second = new LocalInstance();
		second.start();
		await().until(second::isWaiting);
		first.service.inspector().forceRelease("", ROLE);
		await().until(second.candidate::isLeader);
		second.stop();
		first.stop();
		assertThat(eventsOfTheRole(first)).containsExactly("HoldLost");
		assertThat(eventsOfTheRole(second)).isEmpty();
	}

	@Test
	void bodyKeepsTheTermOfALeaderThatStepsDown() {
		Instance first = new LocalInstance();
		assertThat(first.candidate.tryEnter()).isEmpty();
		first.start();
		await().until(first.candidate::isLeader);
		long term = first.candidate.term().orElseThrow();
		try (HeldLock body = first.candidate.tryEnter().orElseThrow()) {
			assertThat(body.fencingToken()).isEqualTo(term);
			first.candidate.stepDown(Duration.ofHours(1));
			await().until(() -> first.events.size() == 2);
			assertThat(first.candidate.tryEnter()).isEmpty();
			assertThat(body.isValid()).isTrue();
			assertThat(this.store.size()).isOne();
		}
		assertThat(this.store.size()).isZero();
	}

	/** Even if nothing but its body has kept the role until now. */
	@Test
	void roleIsNotGivenBackToTheInstanceThatStepsDown() {
		Instance first = new LocalInstance();
		first.start();
		await().until(first.candidate::isLeader);
		Instance second = new LocalInstance();
		second.start();
		await().until(second::isWaiting);
		try (HeldLock body = first.candidate.tryEnter().orElseThrow()) {
			first.candidate.stepDown(Duration.ZERO);
			await().until(first::isWaiting);
			assertThat(body.isValid()).isTrue();
		}
		await().until(() -> first.candidate.isLeader() || second.candidate.isLeader());
		assertThat(second.candidate.isLeader()).isTrue();
	}

	@Test
	void termHasNoEndThatABodyCouldMove() {
		Instance first = new LocalInstance();
		first.start();
		await().until(first.candidate::isLeader);
		try (HeldLock body = first.candidate.tryEnter().orElseThrow()) {
			assertThatIllegalStateException().isThrownBy(() -> body.extend(Duration.ofSeconds(1)))
				.withMessageContaining("'leasehold:role:billing' has no end");
			assertThat(body.remaining()).isGreaterThan(Duration.ofSeconds(1));
		}
	}

	@Test
	void noRolesEndAtOnce() {
		CountDownLatch ended = new CountDownLatch(1);
		new Leaderships(List.of()).stop(ended::countDown);
		assertThat(ended.getCount()).isZero();
	}

	@Test
	void candidateThatStopsInItsPauseDoesNotStandBeforeItStarts() throws InterruptedException {
		Instance first = new LocalInstance();
		first.start();
		await().until(first.candidate::isLeader);
		first.candidate.stepDown(Duration.ofMillis(1));
		first.stop();
		Instance second = new LocalInstance();
		second.start();
		await().until(second.candidate::isLeader);
		assertThat(first.service.inspector().overview().waiting()).isEmpty();
		second.stop();
		first.start();
		await().until(first.candidate::isLeader);
	}

	/** The step-down is the first to notice the loss. */
	@Test
	void stepDownOfALeaderThatLostItsLockIsALoss() {
		Instance first = new ListeningInstance();
		first.start();
		await().until(first.candidate::isLeader);
		first.candidate.stepDown(Duration.ZERO);
		first.service.inspector().forceRelease("", ROLE);
		await().until(() -> !first.candidate.isLeader());
		this.listened.countDown();
		await().until(() -> first.events.size() == 3);
		assertThat(first.events.get(1)).isInstanceOfSatisfying(LeadershipRevokedEvent.class,
				(event) -> assertThat(event.cause()).isEqualTo(RevocationCause.LOST));
	}

	@Test
	void secondStepDownReplacesThePause() {
		Instance first = new ListeningInstance();
		first.start();
		await().until(first.candidate::isLeader);
		Instance second = new LocalInstance();
		second.start();
		await().until(second::isWaiting);
		first.candidate.stepDown(Duration.ofNanos(1));
		first.candidate.stepDown(Duration.ofHours(1));
		this.listened.countDown();
		await().until(second.candidate::isLeader);
		second.candidate.stepDown(Duration.ofHours(1));
		await().until(() -> second.events.size() == 2 && this.store.size() == 0);
		assertThat(first.events).hasSize(2);
	}

	@Test
	void grantThatIsCancelledTooLateIsReleased() throws InterruptedException {
		Instance instance = new LocalInstance();
		CompletableFuture<HeldLock> late = new CompletableFuture<>() {

			@Override
			public boolean cancel(boolean mayInterrupt) {
				return !complete(instance.service.acquire(ROLE.value()));
			}

		};
		DistributedLocks locks = (DistributedLocks) Proxy.newProxyInstance(getClass().getClassLoader(),
				new Class<?>[] { DistributedLocks.class }, (proxy, method, arguments) -> late);
		try (Candidate candidate = new Candidate("billing", locks, instance.candidate.options(), (event) -> {
		})) {
			Instance.start(candidate);
			CountDownLatch ended = new CountDownLatch(1);
			candidate.stop(ended::countDown);
			ended.await();
			await().until(() -> this.store.size() == 0);
			assertThat(late).isCompleted();
		}
	}

	/** The process was elected in another role while it waited for this one. */
	@Test
	void grantAfterAnotherElectionIsForTheNextCandidate() throws InterruptedException {
		Instance first = new LocalInstance();
		first.start();
		await().until(first.candidate::isLeader);
		Instance second = new LocalInstance();
		AtomicLong elections = new AtomicLong();
		second.candidate.start(elections);
		await().until(second::isWaiting);
		Instance third = new LocalInstance();
		third.start();
		await().until(third::isWaiting);
		elections.incrementAndGet();
		first.stop();
		await().until(third.candidate::isLeader);
		assertThat(second.events).isEmpty();
		third.stop();
		await().until(second.candidate::isLeader);
	}

	/** As if another process waited for the role, at a store without a queue. */
	@Test
	void roleIsLeftToOthersAfterAStepDownAndAfterAnotherElection() {
		Instance stepping = new LocalInstance(new UnorderedEngine(this.store));
		stepping.start();
		await().until(stepping.candidate::isLeader);
		stepping.candidate.stepDown(Duration.ZERO);
		await().until(() -> stepping.isWaiting() && this.store.size() == 0);
		Instance first = new LocalInstance();
		first.start();
		await().until(first.candidate::isLeader);
		UnorderedEngine engine = new UnorderedEngine(this.store);
		Instance elected = new LocalInstance(engine);
		AtomicLong elections = new AtomicLong();
		elected.candidate.start(elections);
		await().until(elected::isWaiting);
		elections.incrementAndGet();
		first.candidate.stepDown(Duration.ofHours(1));
		await().until(() -> engine.releases.get() == 1 && elected.isWaiting() && this.store.size() == 0);
		assertThat(elected.events).isEmpty();
	}

	@SuppressWarnings("unchecked")
	private static <T extends Exception> void raise(Exception ex) throws T {
		throw (T) ex;
	}

	private static void awaitLatch(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/** Return the events of the role, before that of another hold, which is slow. */
	private static List<String> eventsOfTheRole(Instance instance) {
		instance.service.acquire("other").close();
		await().until(() -> instance.lockEvents.stream()
			.anyMatch((event) -> event instanceof LockEvent.HoldSlow slow && slow.key().value().equals("other")));
		return instance.lockEvents.stream()
			.filter((event) -> event.toString().contains("role billing"))
			.map((event) -> event.getClass().getSimpleName())
			.toList();
	}

	/** An instance whose listeners wait. */
	private final class ListeningInstance extends LocalInstance {

		@Override
		void listen(Object event) {
			super.listen(event);
			awaitLatch(CandidateTests.this.listened);
		}

	}

	/** The processes that wait need an hour to poll. */
	private static final class UnorderedEngine extends DelegatingEngine {

		private final AtomicInteger releases = new AtomicInteger();

		UnorderedEngine(LockEngine store) {
			super(store);
		}

		@Override
		public ReleaseOutcome release(Claim claim) {
			if (super.release(claim) instanceof ReleaseOutcome.Released) {
				this.releases.incrementAndGet();
				return new ReleaseOutcome.Released(Duration.ofHours(1));
			}
			return new ReleaseOutcome.NotOwner();
		}

	}

	/** An instance that uses the store of the test. */
	private class LocalInstance extends Instance {

		LocalInstance() {
			this(CandidateTests.this.store);
		}

		LocalInstance(LockEngine engine) {
			super(Member.of("test"), engine, Duration.ofSeconds(10));
			CandidateTests.this.instances.add(this);
		}

	}

}
