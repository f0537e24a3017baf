package io.leasehold.service;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import io.leasehold.HeldLock;
import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import io.leasehold.LockOptions;
import io.leasehold.LockOverview;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.event.LockEvent;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The times that operators see, and the keys that the library itself makes.
 */
class OperatorTimesTests {

	private final SteppedService process = new SteppedService();

	@AfterEach
	void close() {
		this.process.close();
	}

	@Test
	void overviewTellsSinceWhenAndForHowLong() {
		this.process.advance(Duration.ofHours(1));
		HeldLock held = this.process.acquire("a");
		this.process.advance(Duration.ofSeconds(4));
		LockOptions options = this.process.options().toBuilder().waitTime(Duration.ofSeconds(20)).build();
		this.process.await("a", options);
		this.process.advance(Duration.ofSeconds(3));
		Instant before = Instant.now();
		LockOverview overview = this.process.locks.inspector().overview();
		Instant after = Instant.now();
		assertThat(overview.held()).singleElement().satisfies((lock) -> {
			assertThat(lock.since()).isBetween(before.minusSeconds(7), after.minusSeconds(7));
			assertThat(lock.remaining()).isEqualTo(SteppedService.BELIEVED.minusSeconds(7));
			assertThat(lock.thread()).isEqualTo(Thread.currentThread().getName());
			assertThat(lock.waiting()).isOne();
		});
		assertThat(overview.waiting()).singleElement().satisfies((caller) -> {
			assertThat(caller.since()).isBetween(before.minusSeconds(3), after.minusSeconds(3));
			assertThat(caller.remaining()).isEqualTo(Duration.ofSeconds(17));
			assertThat(caller.thread()).isNull();
		});
		held.close();
	}

	@Test
	void probeTellsHowLongItTook() {
		this.process.store.response = (attempt) -> {
			this.process.clock.advance(Duration.ofMillis(7));
			return attempt;
		};
		assertThat(this.process.locks.inspector().probe("local")).isEqualTo(Duration.ofMillis(7));
		assertThat(probed()).hasSize(1);
	}

	@Test
	void probeTriesThreeOfSixteenKeys() {
		this.process.store.response = (attempt) -> new AcquisitionOutcome.Busy(Duration.ofSeconds(1));
		for (int i = 0; i < 50; i++) {
			this.process.store.claims.clear();
			assertThatExceptionOfType(LockEngineException.class)
				.isThrownBy(() -> this.process.locks.inspector().probe("local"));
			assertThat(probed()).hasSize(3).doesNotHaveDuplicates().allMatch((key) -> key >= 0 && key < 16);
			assertThat(Math.floorMod(probed().get(1) - probed().get(0), 16)).isOne();
		}
	}

	private List<Integer> probed() {
		return this.process.store.claims.stream()
			.map((claim) -> Integer.valueOf(claim.key().value().replace("leasehold:health:", "")))
			.toList();
	}

	/** The longest key that the turn's own key has room for is part of it. */
	@Test
	void turnToCollectPermitsHasAKeyForEveryLengthOfItsLocks() {
		LockOptions permits = this.process.options().toBuilder().permits(3).build();
		int most = LockKey.MAX_BYTES - "leasehold:permits:".length();
		this.process.locks.acquirePermits("a", 1, permits).close();
		for (int length : List.of(1, most - 1, most, most + 1, LockKey.MAX_BYTES)) {
			String key = "x".repeat(length);
			this.process.store.claims.clear();
			this.process.locks.acquirePermits(key, 3, permits).close();
			String turn = this.process.store.claims.get(0).key().value();
			assertThat(turn).startsWith("leasehold:permits:");
			assertThat(turn.endsWith(key)).isEqualTo(length <= most);
		}
	}

	@Test
	void heldTimeIsThatFromTheGrantToTheRelease() {
		HeldLock held = this.process.acquire("a");
		this.process.clock.advance(Duration.ofSeconds(2));
		held.close();
		assertThat(this.process.events).filteredOn(LockEvent.HoldEnded.class::isInstance)
			.singleElement()
			.satisfies((event) -> assertThat(((LockEvent.HoldEnded) event).nanos())
				.isEqualTo(Duration.ofSeconds(2).toNanos()));
	}

	@Test
	void acquisitionTakesTheTimeFromTheCallToTheGrant() {
		this.process.store.response = (attempt) -> {
			this.process.clock.advance(Duration.ofSeconds(2));
			return attempt;
		};
		this.process.acquire("a").close();
		assertThat(this.process.events).filteredOn(LockEvent.AcquireEnded.class::isInstance)
			.singleElement()
			.satisfies((event) -> assertThat(((LockEvent.AcquireEnded) event).nanos())
				.isEqualTo(Duration.ofSeconds(2).toNanos()));
	}

}
