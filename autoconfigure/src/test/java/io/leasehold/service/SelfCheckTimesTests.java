package io.leasehold.service;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.leasehold.HeldLock;
import io.leasehold.engine.Access;
import io.leasehold.service.gate.Repair;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * After how many checks something is repaired that a lack of threads left behind.
 */
class SelfCheckTimesTests {

	/** One less than are needed. */
	private static final int FEW = Repair.PATIENCE - 1;

	private final SteppedService process = new SteppedService(63, Duration.ofHours(1), false);

	@AfterEach
	void close() {
		this.process.close();
	}

	@Test
	void nothingIsRepairedThatIsUnderWay() {
		HeldLock held = this.process.acquire("a");
		CompletableFuture<HeldLock> waiting = this.process.await("a", this.process.options());
		for (int i = 0; i < 60; i++) {
			this.process.advance(Duration.ofSeconds(1));
			this.process.threads.checkSelf(1);
		}
		assertThat(findings()).isEmpty();
		held.close();
		this.process.threads.run();
		waiting.getNow(null).close();
		assertThat(findings()).isEmpty();
	}

	@Test
	void nothingIsRepairedWhereNothingIsHeld() {
		this.process.acquire("a").close();
		this.process.threads.checkSelf(2 * Repair.PATIENCE);
		assertThat(findings()).isEmpty();
	}

	@Test
	void claimThatWaitsForItsTimerIsNotRepaired() {
		this.process.store.holdElsewhere("a", Access.EXCLUSIVE);
		this.process.await("a", this.process.options());
		int requests = this.process.store.requested.size();
		this.process.threads.checkSelf(2 * Repair.PATIENCE);
		assertThat(this.process.store.requested).hasSize(requests);
		assertThat(findings()).isEmpty();
	}

	/** The timer was lost with which its first renewal begins. */
	@Test
	void extensionOfAShortGrantIsSentByTheNextCheck() {
		this.process.store.pushed = Duration.ofSeconds(20);
		CompletableFuture<HeldLock> acquired = this.process.locks.acquireAsync("a");
		this.process.threads.losingTimers = true;
		this.process.threads.run();
		this.process.threads.losingTimers = false;
		assertThat(this.process.store.renewed).isEmpty();
		this.process.threads.checkSelf(1);
		assertThat(this.process.store.renewed).hasSize(1);
		acquired.getNow(null).close();
	}

	@Test
	void requestThatWasNotSentIsSentByTheFifthCheck() {
		this.process.threads.losing = true;
		CompletableFuture<HeldLock> waiting = this.process.await("a", this.process.options());
		this.process.threads.losing = false;
		this.process.threads.checkSelf(FEW);
		assertThat(this.process.store.requested).isEmpty();
		this.process.threads.checkSelf(1);
		assertThat(this.process.store.requested).hasSize(1);
		waiting.getNow(null).close();
		assertThat(findings()).containsExactly("repaired 1 times: requests were not sent");
	}

	@Test
	void callerIsWokenByTheFifthCheck() {
		this.process.acquire("b").close();
		CompletableFuture<HeldLock> waiting = this.process.locks.acquireAsync("a");
		this.process.store.response = (attempt) -> {
			this.process.threads.losing = true;
			return attempt;
		};
		this.process.threads.run();
		this.process.threads.losing = false;
		this.process.threads.checkSelf(FEW);
		assertThat(waiting).isNotDone();
		this.process.threads.checkSelf(1);
		waiting.getNow(null).close();
		assertThat(findings()).contains("repaired 1 times: granted locks were not taken by their callers");
	}

	@Test
	void lockThatNoCallerTakesIsReleasedByTheTenthCheck() {
		this.process.acquire("b").close();
		this.process.store.released.clear();
		CompletableFuture<HeldLock> never = this.process.locks.acquireAsync("a");
		this.process.store.response = (attempt) -> {
			this.process.threads.losing = true;
			return attempt;
		};
		this.process.threads.run();
		this.process.threads.checkSelf(2 * Repair.PATIENCE - 1);
		this.process.threads.losing = false;
		assertThat(this.process.store.released).isEmpty();
		this.process.threads.checkSelf(1);
		assertThat(this.process.store.released).hasSize(1);
		assertThat(never).isNotDone();
	}

	@Test
	void releaseThatWasLostIsRepeatedByTheFifthCheck() {
		Duration minHold = Duration.ofSeconds(1);
		HeldLock held = this.process.locks.acquire("a", this.process.options().toBuilder().minHold(minHold).build());
		this.process.threads.losing = true;
		held.close();
		this.process.threads.losing = false;
		this.process.clock.advance(minHold.minusNanos(1));
		this.process.threads.checkSelf(Repair.PATIENCE);
		assertThat(this.process.store.released).isEmpty();
		this.process.clock.advance(Duration.ofNanos(1));
		this.process.threads.checkSelf(FEW);
		assertThat(this.process.store.released).isEmpty();
		this.process.threads.checkSelf(1);
		assertThat(this.process.store.released).hasSize(1);
		assertThat(findings()).contains("repaired 1 times: closed locks were not released");
	}

	@Test
	void renewalThatDoesNotEndIsRepeatedByTheFifthCheck() {
		HeldLock held = this.process.acquire("a");
		this.process.advance(Duration.ofSeconds(9));
		this.process.threads.losing = true;
		this.process.advance(Duration.ofSeconds(1));
		this.process.threads.losing = false;
		assertThat(this.process.store.renewed).isEmpty();
		this.process.threads.checkSelf(FEW);
		assertThat(this.process.store.renewed).isEmpty();
		this.process.threads.checkSelf(2);
		assertThat(this.process.store.renewed).hasSize(1);
		assertThat(held.remaining()).isEqualTo(SteppedService.BELIEVED);
		assertThat(findings().toString()).contains("renewals did not begin or end");
		held.close();
	}

	/**
	 * The watchdog ticks on, and the renewals of other locks wait for the one that was
	 * lost.
	 */
	@Test
	void renewalThatDoesNotBeginIsReportedOnce() {
		HeldLock held = this.process.acquire("a");
		this.process.advance(Duration.ofSeconds(9));
		this.process.threads.losingTasks = true;
		this.process.advance(Duration.ofSeconds(1));
		this.process.threads.losingTasks = false;
		for (int i = 0; i <= Repair.PATIENCE; i++) {
			assertThat(this.process.store.renewed).isEmpty();
			this.process.advance(Duration.ofSeconds(1));
			this.process.threads.checkSelf(1);
		}
		assertThat(this.process.store.renewed).hasSize(1);
		assertThat(findings()).containsExactly("repaired 1 times: renewals did not begin or end");
		held.close();
	}

	@Test
	void watchdogThatStoppedIsStartedByTheFifthCheck() {
		this.process.threads.losing = true;
		HeldLock held = this.process.acquire("a");
		this.process.threads.losing = false;
		this.process.clock.advance(Duration.ofSeconds(10));
		this.process.threads.checkSelf(FEW);
		assertThat(this.process.store.renewed).isEmpty();
		this.process.threads.checkSelf(1);
		assertThat(this.process.store.renewed).hasSize(1);
		held.close();
	}

	private List<String> findings() {
		return this.process.locks.inspector().findings("local");
	}

}
