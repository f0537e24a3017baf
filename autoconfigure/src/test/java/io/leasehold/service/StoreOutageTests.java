package io.leasehold.service;

import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.leasehold.HeldLock;
import io.leasehold.LockBusyException;
import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import io.leasehold.LockOptions;
import io.leasehold.engine.Access;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.local.LocalLockEngine;
import io.leasehold.LockLostException;
import io.leasehold.event.LockEvent;
import io.leasehold.test.contract.DelegatingEngine;
import io.leasehold.engine.LockEngine;
import io.leasehold.test.contract.Fault;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.slf4j.LoggerFactory;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * What is logged while a store does not respond, and while a process shuts down.
 */
@Fault(179)
@ExtendWith(OutputCaptureExtension.class)
class StoreOutageTests {

	private static final Logger LOGGER = (Logger) LoggerFactory.getLogger("io.leasehold.service");

	private static final String BEGIN = "The store of engine 'local' is unavailable: ";

	private static final String END = "The store of engine 'local' is available again after";

	private final SteppedService process = new SteppedService();

	private final LockOptions once = this.process.options().toBuilder().waitTime(Duration.ZERO).build();

	@BeforeEach
	void logInfo() {
		LOGGER.setLevel(Level.INFO);
	}

	@AfterEach
	void resetLevel() {
		LOGGER.setLevel(null);
	}

	@Test
	void outageIsOneWarningAndItsEndOneLine(CapturedOutput output) {
		HeldLock held = this.process.acquire("held");
		this.process.advance(Duration.ofSeconds(1));
		fail();
		this.process.advance(Duration.ofSeconds(2));
		for (int i = 0; i < 20; i++) {
			assertThat(this.process.await("key:" + i, this.once)).isCompletedExceptionally();
		}
		assertThat(isUp()).isFalse();
		CompletableFuture<HeldLock> waiting = this.process.await("awaited", this.process.options());
		this.process.advance(Duration.ofSeconds(20));
		assertThat(output.getOut()).containsOnlyOnce(BEGIN + LockEngineException.class.getName())
			.contains("no response. 1 locks that are held here are valid for another 26698 to 26698 ms")
			.doesNotContain(END);
		recover();
		this.process.advance(Duration.ofSeconds(2));
		assertThat(waiting).isCompleted();
		held.close();
		assertThat(output.getOut()).containsOnlyOnce(BEGIN).containsOnlyOnce(END + " 2");
		assertThat(isUp()).isTrue();
		await().untilAsserted(() -> assertThat(this.process.events)
			.filteredOn((event) -> event instanceof LockEvent.EngineDown || event instanceof LockEvent.EngineUp)
			.satisfiesExactly((down) -> assertThat(((LockEvent.EngineDown) down).failure()).isNotNull(),
					(up) -> assertThat(((LockEvent.EngineUp) up).nanos()).isPositive()));
	}

	/** Its last request was sent during the outage, and nothing else follows. */
	@Test
	void idleApplicationNoticesTheEndOfAnOutage(CapturedOutput output) {
		fail();
		assertThat(this.process.await("a", this.once)).isCompletedExceptionally();
		this.process.advance(Duration.ofMinutes(5));
		assertThat(isUp()).isFalse();
		recover();
		this.process.advance(Duration.ofSeconds(10));
		assertThat(isUp()).isTrue();
		assertThat(output.getOut()).containsOnlyOnce(BEGIN).containsOnlyOnce(END);
		int probes = this.process.store.probes;
		assertThat(probes).isBetween(61, 62);
		this.process.advance(Duration.ofMinutes(5));
		assertThat(this.process.store.probes).isEqualTo(probes);
	}

	@Test
	void renewalThatFailsBesideALostLockIsNoOutage(CapturedOutput output) {
		HeldLock held = this.process.acquire("held");
		this.process.acquire("lost");
		this.process.store.renewal = (renewed, outcome) -> renewed.claim().key().value().equals("lost")
				? new RenewalOutcome.NotOwner() : new RenewalOutcome.Unknown(failure(true));
		this.process.advance(Duration.ofSeconds(10));
		assertThat(output.getOut()).contains("Lock 'lost' (test) was lost").doesNotContain(BEGIN);
		this.process.store.renewal = (renewed, outcome) -> outcome;
		this.process.advance(Duration.ofSeconds(1));
		held.close();
	}

	/** So that an idle application notices an outage and its end by its health check. */
	@Test
	void healthChecksShowAnOutage(CapturedOutput output) {
		fail();
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(this::probe);
		assertThat(isUp()).isFalse();
		assertThat(output.getOut()).containsOnlyOnce(BEGIN);
		recover();
		probe();
		assertThat(isUp()).isTrue();
		assertThat(output.getOut()).containsOnlyOnce(END);
	}

	/** The threads for events start with the first lock. */
	@Test
	void healthChecksPublishAnOutageBeforeTheFirstLock() {
		LocalLockEngine store = new LocalLockEngine(MonotonicClock.SYSTEM);
		List<LockEvent> published = new CopyOnWriteArrayList<>();
		try (LockService idle = new LockService(new ServiceSettings(this.once, OnLost.THROW, 0, Duration.ZERO),
				List.of(store), Member.of("idle"), MonotonicClock.SYSTEM, List.of(published::add),
				ReleaseTiming.IMMEDIATE)) {
			store.faults().setDown(true);
			assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> idle.inspector().probe("local"));
			store.faults().setDown(false);
			idle.inspector().probe("local");
			assertThat(published).hasExactlyElementsOfTypes(LockEvent.EngineDown.class, LockEvent.EngineUp.class);
		}
	}

	/** Engines respond so, without a request, for claims that they do not know. */
	@Test
	void outcomeWithoutARequestDoesNotEndAnOutage(CapturedOutput output) {
		HeldLock held = this.process.acquire("held");
		this.process.acquire("lost");
		fail();
		this.process.await("a", this.once);
		assertThat(isUp()).isFalse();
		this.process.store.ownsNothing = true;
		this.process.store.renewal = (renewed, outcome) -> renewed.claim().key().value().equals("lost")
				? new RenewalOutcome.NotOwner() : new RenewalOutcome.Unknown(failure(true));
		for (int i = 0; i < 20; i++) {
			this.process.await("b", this.once);
			this.process.advance(Duration.ofSeconds(1));
		}
		this.process.store.response = (attempt) -> new AcquisitionOutcome.Contradicted(Access.EXCLUSIVE);
		this.process.store.silent = false;
		this.process.await("c", this.once);
		this.process.store.silent = true;
		assertThatExceptionOfType(LockLostException.class).isThrownBy(held::close);
		assertThat(output.getOut()).doesNotContain(END);
		assertThat(isUp()).isFalse();
	}

	private void probe() {
		this.process.locks.inspector().probe("local");
	}

	private boolean isUp() {
		return this.process.locks.inspector().isUp("local");
	}

	@Test
	void storeThatRespondsToSomeRequestsIsReportedOnceAMinute(CapturedOutput output) {
		for (int minute = 1; minute <= 2; minute++) {
			for (int i = 0; i < 10; i++) {
				fail();
				this.process.await("a", this.once);
				recover();
				this.process.acquire("b").close();
			}
			assertThat(output.getOut().split(BEGIN, -1)).hasSize(1 + minute);
			assertThat(output.getOut().split(END, -1)).hasSize(1 + minute);
			this.process.advance(Duration.ofMinutes(1));
		}
	}

	/** Such as a failover, and the failure of the new primary. */
	@Test
	void outageSoonAfterAnotherIsReportedIfItLasts(CapturedOutput output) {
		fail();
		this.process.await("a", this.once);
		this.process.advance(Duration.ofSeconds(1));
		recover();
		this.process.acquire("b").close();
		this.process.advance(Duration.ofSeconds(30));
		fail();
		for (int i = 0; i < 12; i++) {
			this.process.await("a", this.once);
			this.process.advance(Duration.ofSeconds(10));
		}
		assertThat(output.getOut().split(BEGIN, -1)).hasSize(3);
		assertThat(output.getOut()).containsOnlyOnce(END);
		recover();
		this.process.acquire("b").close();
		assertThat(output.getOut().split(BEGIN, -1)).hasSize(3);
		assertThat(output.getOut().split(END, -1)).hasSize(3);
	}

	@Test
	void outageBeginsWithItsFirstRequestAndNotWithTheLastResponse(CapturedOutput output) {
		this.process.advance(Duration.ofHours(1));
		fail();
		this.process.await("a", this.once);
		this.process.advance(Duration.ofSeconds(2));
		this.process.await("b", this.once);
		recover();
		this.process.acquire("c").close();
		assertThat(output.getOut()).containsOnlyOnce(BEGIN).containsOnlyOnce(END + " 2000 ms");
	}

	/** If all threads are busy, the store is not down. */
	@Fault(192)
	@Test
	void requestThatWasNotSentInTimeIsBusyIfTheStoreRespondsToOthers() {
		CompletableFuture<HeldLock> waiting = awaitWithoutThread();
		this.process.advance(Duration.ofMillis(500));
		this.process.acquire("b").close();
		this.process.advance(Duration.ofMillis(500));
		assertThat(waiting).failsWithin(Duration.ZERO).withThrowableThat().withCauseInstanceOf(LockBusyException.class);
	}

	@Test
	void requestThatWasNotSentInTimeIsNotBusyIfTheStoreIsSilent() {
		CompletableFuture<HeldLock> waiting = awaitWithoutThread();
		this.process.advance(Duration.ofSeconds(1));
		assertThat(waiting).failsWithin(Duration.ZERO)
			.withThrowableThat()
			.withCauseInstanceOf(LockEngineException.class);
	}

	private CompletableFuture<HeldLock> awaitWithoutThread() {
		this.process.threads.losingTasks = true;
		CompletableFuture<HeldLock> waiting = this.process.await("a",
				this.once.toBuilder().waitTime(Duration.ofSeconds(1)).build());
		this.process.threads.losingTasks = false;
		return waiting;
	}

	@Test
	void renewalsAloneShowAnOutage(CapturedOutput output) {
		HeldLock held = this.process.acquire("a");
		this.process.store.renewNothing();
		this.process.advance(Duration.ofSeconds(15));
		assertThat(output.getOut()).containsOnlyOnce(BEGIN);
		this.process.store.renewal = (renewed, outcome) -> outcome;
		this.process.advance(Duration.ofSeconds(5));
		assertThat(output.getOut()).containsOnlyOnce(END);
		held.close();
	}

	@Test
	void failureBesideResponsesIsNoOutage(CapturedOutput output) {
		StoreOutage outage = new StoreOutage(this.process.store, this.process.clock, (survey) -> {
		}, new Events(List.of(), this.process.threads), () -> {
		});
		long sent = this.process.clock.nanoTime();
		this.process.clock.advance(Duration.ofSeconds(1));
		outage.responded();
		outage.failed(sent, failure(true));
		outage.failed(this.process.clock.nanoTime(), failure(false));
		assertThat(output.getOut()).doesNotContain(BEGIN);
		outage.failed(this.process.clock.nanoTime(), failure(true));
		assertThat(output.getOut()).containsOnlyOnce(BEGIN).contains("No lock is held here");
	}

	/** No lock is granted until an operator corrects it. */
	@Test
	void rejectionThatLastsIsAnOutageIfTheStoreRejectsOtherKeysAsWell(CapturedOutput output) {
		reject((key) -> true, new SQLException());
		assertThat(this.process.await("a", this.once)).isCompletedExceptionally();
		this.process.advance(Duration.ofSeconds(5));
		assertThat(isUp()).isFalse();
		assertThat(output.getOut()).containsOnlyOnce(BEGIN + LockEngineException.class.getName() + ": it is read-only");
		this.process.store.response = UnaryOperator.identity();
		this.process.advance(Duration.ofSeconds(5));
		assertThat(isUp()).isTrue();
	}

	/** Such as a key of Redis with a value of another type. */
	@Test
	void rejectionOfOneKeyIsNoOutage(CapturedOutput output) {
		reject("a"::equals, new SQLException());
		for (int i = 0; i < 3; i++) {
			assertThat(this.process.await("a", this.once)).isCompletedExceptionally();
			assertThat(isUp()).isTrue();
			this.process.advance(Duration.ofMinutes(2));
			assertThat(isUp()).isTrue();
		}
		assertThat(this.process.store.probes).isEqualTo(3);
		assertThat(this.process.events).doesNotHaveAnyElementsOfTypes(LockEvent.EngineDown.class);
		assertThat(output.getOut()).doesNotContain(BEGIN);
	}

	@Test
	void closedEngineIsNoOutage() {
		for (LockEngineException cause : Arrays.asList(null, failure(true))) {
			reject((key) -> true, cause);
			assertThat(this.process.await("a", this.once)).isCompletedExceptionally();
			assertThatExceptionOfType(LockEngineException.class).isThrownBy(this::probe);
			this.process.advance(Duration.ofMinutes(1));
			assertThat(isUp()).isTrue();
		}
		assertThat(this.process.store.probes).isEqualTo(2);
	}

	private void reject(Predicate<String> keys, @Nullable Exception cause) {
		this.process.store.response = (outcome) -> {
			List<Claim> claims = this.process.store.claims;
			Claim claim = claims.get(claims.size() - 1);
			if (keys.test(claim.key().value())) {
				this.process.store.local.release(claim);
				throw new LockEngineException(claim.key(), "it is read-only", cause, false);
			}
			return outcome;
		};
	}

	/** Also if the failure does not, such as a missing response. */
	@Test
	void warningSaysWhereTheStoreIs(CapturedOutput output) {
		LockEngine remote = new DelegatingEngine(this.process.store) {

			@Override
			public String location() {
				return "redis-1:6379";
			}

		};
		StoreOutage outage = new StoreOutage(remote, this.process.clock, (survey) -> {
		}, new Events(List.of(), this.process.threads), () -> {
		});
		outage.failed(this.process.clock.nanoTime(), new IllegalStateException("Connection refused."));
		assertThat(output.getOut()).containsOnlyOnce("The store of engine 'local' (redis-1:6379) is unavailable: ")
			.contains("Connection refused. No lock is held here");
	}

	@Test
	void shutdownNamesTheLocksForWhichItWaitsAndThoseThatRemain(CapturedOutput output) {
		HeldLock finishing = this.process.acquire("finishing");
		this.process.advance(Duration.ofSeconds(2));
		HeldLock remaining = this.process.acquire("remaining");
		this.process.advance(Duration.ofSeconds(3));
		this.process.locks.drain(() -> {
		});
		String thread = " by thread " + Thread.currentThread().getName();
		assertThat(output.getOut()).containsOnlyOnce(
				"The shutdown waits for 2 locks that are held on engine 'local': 'finishing' (test, held for"
						+ " 5000 ms%s), 'remaining' (test, held for 3000 ms%s)".formatted(thread, thread));
		this.process.advance(Duration.ofSeconds(4));
		finishing.close();
		this.process.close();
		assertThat(output.getOut())
			.containsOnlyOnce(
					"The shutdown waited 4000 ms and leaves 1 locks on engine 'local', which stay locked until"
							+ " their leases expire: 'remaining' (test, held for 7000 ms%s)".formatted(thread))
			.doesNotContain("all released");
		assertThat(this.process.store.local.inspect(new LockKey("remaining"))).hasSize(1);
		assertThat(remaining.isValid()).isFalse();
	}

	/** The drain may begin much later: servers and executors stop before. */
	@Test
	void shutdownNamesTheLocksThatAreHeldWhenItBegins(CapturedOutput output) {
		HeldLock held = this.process.acquire("a");
		this.process.advance(Duration.ofSeconds(2));
		this.process.locks.stopping();
		assertThat(output.getOut()).containsOnlyOnce(
				"The application stops while 1 locks are held on engine 'local': 'a' (test, held for 2000 ms by thread");
		held.close();
	}

	@Test
	void shutdownSaysHowLongItWaitedForLocks(CapturedOutput output) {
		HeldLock held = this.process.acquire("a");
		this.process.locks.drain(() -> {
		});
		this.process.advance(Duration.ofSeconds(3));
		held.close();
		this.process.close();
		assertThat(output.getOut())
			.containsOnlyOnce("The shutdown waited 3000 ms for locks on engine 'local', which are all released now")
			.doesNotContain("leaves");
	}

	@Test
	void shutdownWithoutLocksIsSilent(CapturedOutput output) {
		this.process.acquire("a").close();
		this.process.locks.stopping();
		this.process.locks.drain(() -> {
		});
		this.process.close();
		assertThat(output.getOut()).doesNotContain("shutdown", "stops");
	}

	private void fail() {
		this.process.store.renewNothing();
		this.process.store.silent = true;
	}

	private void recover() {
		this.process.store.silent = false;
		this.process.store.renewal = (renewed, outcome) -> outcome;
	}

	private static LockEngineException failure(boolean retryable) {
		return new LockEngineException(new LockKey("a"), "no response", null, retryable);
	}

}
