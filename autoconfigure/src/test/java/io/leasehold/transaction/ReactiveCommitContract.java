package io.leasehold.transaction;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

import io.leasehold.DistributedLocks;
import io.leasehold.LockLostException;
import io.leasehold.test.contract.Fault;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionTimedOutException;
import org.springframework.transaction.reactive.TransactionSynchronization;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Contract of {@link R2dbcCommitGuards}: which reactive transactions commit.
 */
abstract class ReactiveCommitContract extends ReactiveShopFixture {

	@Test
	void commitsUnderAValidLock() {
		run((shop, context) -> {
			ReactiveShop.run(shop.sell(Mono::empty));
			assertThat(shop.sold()).isEqualTo(1);
		});
	}

	@Test
	void annotatedTransactionRollsBackWhenItsLockWasLost() {
		run((shop, context) -> {
			assertLost(shop.sell(shop::lose));
			assertThat(shop.sold()).isZero();
		});
	}

	@Test
	void transactionForWhichALockedMethodBlocksRollsBack() {
		run((shop, context) -> {
			AtomicBoolean refused = new AtomicBoolean();
			DistributedLocks locks = context.getBean(DistributedLocks.class);
			assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> locks.call("blocking", (lock) -> {
				assertLost(within(context, TransactionDefinition.PROPAGATION_REQUIRED,
						() -> shop.insert().then(Mono.fromRunnable(() -> shop.lose(lock)))));
				refused.set(true);
				return lock;
			}));
			assertThat(refused).isTrue();
			assertThat(shop.sold()).isZero();
		});
	}

	@Test
	void operatorUnderALockTakenFurtherOutRollsBack() {
		run((shop, context) -> {
			Supplier<Mono<Void>> sale = () -> within(context, TransactionDefinition.PROPAGATION_REQUIRED, shop::insert);
			assertLost(shop.locked("outer", () -> shop.lose().then(Mono.defer(() -> shop.locked("inner", sale)))));
			assertThat(shop.sold()).isZero();
		});
	}

	@Test
	void newTransactionInsideRollsBackAndLeavesTheSuspendedOneToItsOwnEnd() {
		run((shop, context) -> {
			AtomicBoolean refused = new AtomicBoolean();
			assertLost(shop.sell(() -> within(context, TransactionDefinition.PROPAGATION_REQUIRES_NEW,
					() -> shop.insert().then(shop.lose()))
				.onErrorResume(LockLostException.class, (loss) -> Mono.fromRunnable(() -> refused.set(true)))));
			assertThat(refused).isTrue();
			assertThat(shop.sold()).isZero();
		});
	}

	@Test
	void newTransactionThatCommittedBeforeTheLossStays() {
		run((shop, context) -> {
			assertLost(shop.sell(() -> within(context, TransactionDefinition.PROPAGATION_REQUIRES_NEW, shop::insert)
				.then(shop.lose())));
			assertThat(shop.sold()).isEqualTo(1);
		});
	}

	@Test
	void savepointIsLeftToItsTransaction() {
		run((shop, context) -> {
			AtomicBoolean passed = new AtomicBoolean();
			assertLost(shop.sell(() -> within(context, TransactionDefinition.PROPAGATION_NESTED,
					() -> shop.insert().then(shop.lose()))
				.then(Mono.fromRunnable(() -> passed.set(true)))));
			assertThat(passed).isTrue();
			assertThat(shop.sold()).isZero();
		});
	}

	/** Spring alone does not roll back, and restoring the connection commits. */
	@Test
	@Fault(97)
	void transactionUnderALockThatFailsBeforeItsCommitRollsBack() {
		run((shop, context) -> {
			assertThatExceptionOfType(TransactionTimedOutException.class)
				.isThrownBy(() -> ReactiveShop.run(shop.sell(ReactiveCommitContract::failBeforeCommit)));
			assertThat(shop.sold()).isZero();
		});
	}

	@Test
	@Fault(97)
	void transactionWithALockInsideThatFailsBeforeItsCommitRollsBack() {
		run((shop, context) -> {
			assertThatExceptionOfType(TransactionTimedOutException.class)
				.isThrownBy(() -> ReactiveShop.run(within(context, TransactionDefinition.PROPAGATION_REQUIRED,
						() -> shop.locked("inside", shop::insert).then(failBeforeCommit()))));
			assertThat(shop.sold()).isZero();
		});
	}

	@Test
	void canBeSwitchedOff() {
		run(runner().withPropertyValues("leasehold.transaction.commit-guard=false"), (shop, context) -> {
			assertLost(shop.sell(shop::lose));
			assertThat(shop.sold()).isEqualTo(1);
		});
	}

	private static Mono<Void> failBeforeCommit() {
		return TransactionSynchronizationManager.forCurrentTransaction()
			.doOnNext((current) -> current.registerSynchronization(new TransactionSynchronization() {
				@Override
				public Mono<Void> beforeCommit(boolean readOnly) {
					return Mono.error(new TransactionTimedOutException("too late"));
				}
			}))
			.then();
	}

}
