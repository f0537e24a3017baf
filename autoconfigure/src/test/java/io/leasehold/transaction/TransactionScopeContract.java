package io.leasehold.transaction;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;

import io.leasehold.DistributedLocks;
import io.leasehold.LockBusyException;
import io.leasehold.event.AcquireOutcome;
import io.leasehold.event.LockEvent;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Contract of locks that are part of a transaction, on each database.
 */
abstract class TransactionScopeContract extends TransactionWaitsContract {

	@Test
	void lockEndsWithItsTransactionNotWithItsMethod() {
		this.transaction.executeWithoutResult((status) -> {
			lock("order");
			assertThat(isFreeForOthers("order")).isFalse();
			assertThat(isFreeForOthers("another")).isTrue();
		});
		assertThat(isFreeForOthers("order")).isTrue();
		this.transaction.executeWithoutResult((status) -> {
			lock("order");
			status.setRollbackOnly();
			assertThat(isFreeForOthers("order")).isFalse();
		});
		assertThat(isFreeForOthers("order")).isTrue();
	}

	/** Each holder reads what the one before it has committed. */
	@Test
	void noUpdateIsLost() {
		List<Future<?>> all = new ArrayList<>();
		for (int i = 0; i < 4; i++) {
			all.add(inOtherThread(() -> {
				for (int j = 0; j < 25; j++) {
					this.transaction.executeWithoutResult((status) -> this.shop.sell());
				}
				return null;
			}));
		}
		all.forEach(ScopedTransactions::get);
		assertThat(this.shop.units()).isZero();
	}

	@Test
	void sameTransactionLocksAgain() {
		this.transaction.executeWithoutResult((status) -> {
			lock("order");
			lock("order");
			assertThat(isFreeForOthers("order")).isFalse();
		});
		assertThat(isFreeForOthers("order")).isTrue();
		assertThat(this.events.ends("inside")).extracting(LockEvent.AcquireEnded::outcome)
			.startsWith(AcquireOutcome.ACQUIRED, AcquireOutcome.REENTERED);
	}

	@Test
	void holdIsReportedUntilTheTransactionEnds() {
		long start = System.nanoTime();
		this.transaction.executeWithoutResult((status) -> {
			lock("order");
			assertThat(this.events.of(LockEvent.HoldEnded.class)).isEmpty();
		});
		assertThat(this.events.of(LockEvent.HoldEnded.class)).singleElement()
			.satisfies((end) -> assertThat(end.name()).isEqualTo("inside"))
			.satisfies((end) -> assertThat(end.nanos()).isBetween(1L, System.nanoTime() - start));
	}

	@Test
	void severalKeysAreLockedInOneOrder() {
		whileHeld("b", () -> this.transaction.executeWithoutResult((status) -> {
			assertThatExceptionOfType(LockBusyException.class)
				.isThrownBy(() -> this.shop.several(List.of("c", "b", "a")))
				.satisfies((ex) -> assertThat(ex.getKey()).isEqualTo("b"));
			assertThat(isFreeForOthers("a")).isFalse();
			assertThat(isFreeForOthers("c")).isTrue();
		}));
		this.transaction.executeWithoutResult((status) -> {
			this.shop.several(List.of("c", "b", "a"));
			assertThat(List.of("a", "b", "c")).noneMatch(this::isFreeForOthers);
		});
	}

	@Test
	void newTransactionInsideIsAnotherOwner() {
		this.transaction.executeWithoutResult((status) -> {
			lock("order");
			assertThatExceptionOfType(LockBusyException.class).isThrownBy(() -> this.shop.inNewTransaction("order"));
			this.shop.inNewTransaction("another");
			assertThat(isFreeForOthers("another")).isTrue();
			assertThat(isFreeForOthers("order")).isFalse();
			assertThatIllegalStateException().isThrownBy(() -> this.shop.withoutTransaction("order"))
				.withMessageContaining("no transaction is active");
			assertThat(isFreeForOthers("order")).isFalse();
		});
	}

	@Test
	void leaseOfTheSameKeyIsAnotherLock() {
		this.transaction.executeWithoutResult((status) -> {
			lock("order");
			this.application.bean(DistributedLocks.class).acquire("order").close();
		});
	}

}
