package io.leasehold.transaction;

import java.util.concurrent.Future;

import io.leasehold.LockBusyException;
import io.leasehold.event.LockEvent;
import io.leasehold.test.contract.Fault;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Contract of locks that are part of a transaction of another process, on each server.
 */
abstract class TransactionProcessContract extends ScopedTransactions {

	private static final String NO_LIMIT = "SELECT 1";

	/** Statement that limits the time for which its session may be idle to a second. */
	abstract String idleLimit();

	@Test
	@Fault(value = 147, engine = "jdbc")
	void killedHolderFreesItsLockAndLeavesNothing() {
		try (ScopedProcess holder = holder(NO_LIMIT)) {
			Future<?> waiter = waiter();
			await().until(() -> !this.events.of(LockEvent.WaitStarted.class).isEmpty());
			holder.kill();
			get(waiter);
		}
		assertThat(sold()).containsExactly("waiter");
	}

	@Test
	@Fault(value = 147, engine = "jdbc")
	void frozenHolderKeepsItsLockAndCommits() {
		try (ScopedProcess holder = holder(NO_LIMIT)) {
			holder.freeze();
			assertThatExceptionOfType(LockBusyException.class)
				.isThrownBy(() -> this.transaction.executeWithoutResult((status) -> this.shop.shortly("order")));
			holder.wake();
			assertThat(holder.commit()).isEmpty();
			assertThat(sold()).containsExactly("holder");
			assertThat(isFreeForOthers("order")).isTrue();
		}
	}

	@Test
	@Fault(value = 147, engine = "jdbc")
	void frozenHolderWhoseSessionTheDatabaseEndsCannotCommit() {
		try (ScopedProcess holder = holder(idleLimit())) {
			holder.freeze();
			get(waiter()); // its wait may be over before it begins
			holder.wake();
			assertThat(holder.commit()).isNotEmpty();
		}
		assertThat(sold()).containsExactly("waiter");
	}

	private ScopedProcess holder(String setting) {
		return ScopedProcess.start(url(), getClass().getSimpleName(), "order", "holder", setting);
	}

	/** Start a transaction that waits for the lock of the other process. */
	private Future<?> waiter() {
		return inOtherTransaction((status) -> {
			this.shop.patiently("order");
			sold("waiter");
		});
	}

}
