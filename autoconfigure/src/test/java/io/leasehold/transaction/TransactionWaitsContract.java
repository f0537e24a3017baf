package io.leasehold.transaction;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import io.leasehold.LockBusyException;
import io.leasehold.event.AcquireOutcome;
import io.leasehold.event.LockEvent;
import io.leasehold.test.contract.Fault;
import org.jspecify.annotations.Nullable;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.dao.DataAccessException;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionTimedOutException;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/**
 * Contract of transactions that wait for locks of others, on each database.
 */
abstract class TransactionWaitsContract extends TransactionRefusalsContract {

	private static final Log logger = LogFactory.getLog(TransactionWaitsContract.class);

	/** Statement that returns the timeout of row locks of the session. */
	abstract String lockTimeout();

	@Test
	void waiterIsGrantedWhenTheHolderCommits() throws Exception {
		CountDownLatch locked = new CountDownLatch(1);
		CountDownLatch goOn = new CountDownLatch(1);
		List<String> order = new CopyOnWriteArrayList<>();
		Future<?> holder = inOtherTransaction((status) -> {
			lock("order");
			locked.countDown();
			meet(goOn);
			sold("holder");
			order.add("holder ends");
		});
		meet(locked);
		Future<?> waiter = inOtherTransaction((status) -> {
			this.shop.patiently("order");
			order.add("waiter locks");
			assertThat(this.jdbc.queryForList("SELECT what FROM sold", String.class)).containsExactly("holder");
		});
		await().until(() -> !this.events.of(LockEvent.WaitStarted.class).isEmpty());
		goOn.countDown();
		get(holder);
		get(waiter);
		assertThat(order).containsExactly("holder ends", "waiter locks");
		assertThat(this.events.ends("ScopedShop.patiently")).singleElement().satisfies((end) -> {
			assertThat(end.outcome()).isEqualTo(AcquireOutcome.ACQUIRED);
			assertThat(end.waited()).isTrue();
		});
	}

	/** The transaction goes on after a busy lock, with its work and its settings. */
	@Test
	@Fault(value = 150, engine = "jdbc")
	void waitTimeIsTheLockTimeout() {
		whileHeld("order", () -> this.transaction.executeWithoutResult((status) -> {
			String timeout = this.jdbc.queryForObject(lockTimeout(), String.class);
			sold("before");
			long start = System.nanoTime();
			assertThatExceptionOfType(LockBusyException.class).isThrownBy(() -> this.shop.shortly("order"))
				.withMessageContaining("'order'")
				.withMessageContaining("another transaction")
				.satisfies((ex) -> assertThat(ex.getWaited()).isBetween(Duration.ofMillis(1200),
						Duration.ofNanos(System.nanoTime() - start)))
				.satisfies((ex) -> assertThat(ex.getWaited()).as("not the 50 s of MySQL")
					.isLessThan(Duration.ofSeconds(40)));
			assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(1200));
			assertThatExceptionOfType(LockBusyException.class).isThrownBy(() -> lock("order"));
			sold("after");
			assertThat(this.jdbc.queryForObject(lockTimeout(), String.class)).isEqualTo(timeout);
		}));
		assertThat(sold()).containsExactly("before", "after");
		assertThat(this.events.ends("ScopedShop.shortly")).extracting(LockEvent.AcquireEnded::outcome)
			.containsExactly(AcquireOutcome.BUSY);
	}

	@Test
	@Fault(value = 150, engine = "jdbc")
	void skippedAndReplacedCallsLeaveTheTransactionUsable() {
		whileHeld("order", () -> this.transaction.executeWithoutResult((status) -> {
			sold("before");
			assertThat(this.shop.skipping("order")).isNull();
			assertThat(this.shop.falling("order")).isEqualTo(10);
			sold("after");
		}));
		assertThat(sold()).containsExactly("before", "fallback", "after");
	}

	@Test
	@Fault(value = 150, engine = "jdbc")
	void settingsOfTheSessionAreAsBeforeAfterAGrantThatWasAwaited() throws Exception {
		CountDownLatch locked = new CountDownLatch(1);
		CountDownLatch goOn = new CountDownLatch(1);
		Future<?> holder = inOtherTransaction((status) -> {
			lock("order");
			locked.countDown();
			meet(goOn);
		});
		meet(locked);
		Future<?> waiter = inOtherTransaction((status) -> {
			String timeout = this.jdbc.queryForObject(lockTimeout(), String.class);
			this.shop.patiently("order");
			assertThat(this.jdbc.queryForObject(lockTimeout(), String.class)).isEqualTo(timeout);
		});
		await().until(() -> !this.events.of(LockEvent.WaitStarted.class).isEmpty());
		goOn.countDown();
		get(holder);
		get(waiter);
	}

	/**
	 * MySQL and MariaDB roll back all, and the connection goes on: the rest of the body
	 * must not be committed alone.
	 */
	@ParameterizedTest
	@EnumSource
	@Fault(value = 148, engine = "jdbc")
	void deadlockRollsBackOneTransactionWhateverItsBodyDoes(Moment moment) {
		CyclicBarrier both = new CyclicBarrier(2);
		Future<@Nullable Throwable> one = inOtherThread(() -> crossing("left", "right", both, moment));
		Future<@Nullable Throwable> other = inOtherThread(() -> crossing("right", "left", both, moment));
		Throwable first = get(one);
		Throwable second = get(other);
		assertThat(List.of((first != null) ? 1 : 0, (second != null) ? 1 : 0)).containsExactlyInAnyOrder(0, 1);
		assertThat((first != null) ? first : second).isInstanceOf(LockBusyException.class)
			.hasMessageContaining("deadlock");
		String winner = (first != null) ? "right" : "left";
		assertThat(sold()).containsExactly(winner, winner);
		assertThat(isFreeForOthers("left")).isTrue();
		assertThat(isFreeForOthers("right")).isTrue();
	}

	private @Nullable Throwable crossing(String from, String to, CyclicBarrier both, Moment moment) {
		try {
			this.transaction.executeWithoutResult((status) -> {
				sold(from);
				moment.run(() -> lockBoth(from, to, both));
			});
			return null;
		}
		catch (LockBusyException ex) {
			return ex;
		}
	}

	private void lockBoth(String from, String to, CyclicBarrier both) {
		lock(from);
		meet(both);
		try {
			assertThat(this.shop.patientlyOrOther(to)).as("no fallback").isOne();
			sold(from);
		}
		catch (LockBusyException ex) {
			assertThatIllegalStateException().isThrownBy(() -> lock("third"))
				.withMessageContaining("can only roll back");
			soldIfPossible("rest");
		}
	}

	/**
	 * H2 rejects statements after a deadlock, by its own assertions if these are enabled.
	 * Other databases begin a transaction, whose rows must not be committed.
	 */
	private void soldIfPossible(String what) {
		try {
			sold(what);
		}
		catch (DataAccessException ex) {
			logger.debug("Rejected after the deadlock", ex);
		}
	}

	/** A wait never outlasts the time of its transaction. */
	@Test
	void waitEndsWithTheTimeOfTheTransaction() {
		TransactionTemplate brief = transaction(TransactionDefinition.ISOLATION_READ_COMMITTED);
		brief.setTimeout(2);
		whileHeld("order",
				() -> assertThatThrownBy(() -> brief.executeWithoutResult((status) -> this.shop.patiently("order")))
					.isInstanceOfAny(LockBusyException.class, TransactionTimedOutException.class));
		assertThat(this.events.ends("ScopedShop.patiently")).singleElement()
			.satisfies((end) -> assertThat(end.nanos()).isLessThan(TimeUnit.SECONDS.toNanos(60)));
	}

	private static void meet(CyclicBarrier barrier) {
		call(() -> barrier.await(2, TimeUnit.MINUTES));
	}

	/** When a transaction requests its locks. */
	enum Moment {

		IN_THE_BODY, BEFORE_THE_COMMIT, BEFORE_THE_COMPLETION;

		void run(Runnable action) {
			if (this == IN_THE_BODY) {
				action.run();
				return;
			}
			TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

				@Override
				public void beforeCommit(boolean readOnly) {
					if (Moment.this == BEFORE_THE_COMMIT) {
						action.run();
					}
				}

				@Override
				public void beforeCompletion() {
					if (Moment.this == BEFORE_THE_COMPLETION) {
						action.run();
					}
				}

			});
		}

	}

}
