package io.leasehold.transaction;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.leasehold.DistributedLocks;
import io.leasehold.HeldLock;
import io.leasehold.LockInspector;
import io.leasehold.LockKey;
import io.leasehold.LockLostException;
import io.leasehold.LockOptions;
import io.leasehold.LossCause;
import io.leasehold.reactive.ReactiveLocks;
import io.leasehold.test.contract.Fault;
import io.r2dbc.spi.Connection;
import io.r2dbc.spi.ConnectionFactories;
import io.r2dbc.spi.ConnectionFactory;
import io.r2dbc.spi.R2dbcDataIntegrityViolationException;
import io.r2dbc.spi.R2dbcNonTransientResourceException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.dao.DataAccessException;
import org.springframework.r2dbc.connection.DelegatingConnectionFactory;
import org.springframework.transaction.reactive.TransactionSynchronization;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;
import static org.springframework.transaction.TransactionDefinition.PROPAGATION_REQUIRED;

/**
 * Tests for reactive commits that fail, with a response of the database and without, or
 * whose subscription is cancelled meanwhile.
 */
class ReactiveCommitOutcomeTests extends ReactiveShopFixture {

	private final String url = h2();

	@Override
	String url() {
		return this.url;
	}

	@Test
	@Fault(173)
	void keyStaysLockedAfterACommitWithoutAResponse() {
		run(runner().withBean(ConnectionFactory.class, () -> withCommit(ReactiveCommitOutcomeTests::withoutResponse)),
				(shop, context) -> {
					AtomicReference<HeldLock> held = new AtomicReference<>();
					assertThatExceptionOfType(DataAccessException.class)
						.isThrownBy(() -> ReactiveShop.run(shop.sell(() -> remember(held))));
					assertUnknown(held.get());
					assertThat(isFree(context, "sale")).isFalse();
					assertThat(shop.sold()).isEqualTo(1);
				});
	}

	@Test
	@Fault(173)
	void keyOfALockTakenInsideStaysLockedToo() {
		run(runner().withBean(ConnectionFactory.class, () -> withCommit(ReactiveCommitOutcomeTests::withoutResponse)),
				(shop, context) -> {
					AtomicReference<HeldLock> held = new AtomicReference<>();
					assertThatExceptionOfType(DataAccessException.class)
						.isThrownBy(() -> ReactiveShop.run(within(context, PROPAGATION_REQUIRED,
								() -> shop.locked("inside", () -> remember(held).then(shop.insert())))));
					assertUnknown(held.get());
					assertThat(isFree(context, "inside")).isFalse();
				});
	}

	@Test
	void keyIsFreeAfterARejectedCommit() {
		run(runner().withBean(ConnectionFactory.class, () -> withCommit(ReactiveCommitOutcomeTests::rejected)),
				(shop, context) -> {
					assertThatExceptionOfType(DataAccessException.class)
						.isThrownBy(() -> ReactiveShop.run(shop.sell(Mono::empty)));
					assertThat(isFree(context, "sale")).isTrue();
					assertThat(shop.sold()).isZero();
				});
	}

	@Test
	void cancellationDuringTheCommitLeavesTheKeyLockedUntilItsEnd() {
		DelayedCommit commit = new DelayedCommit();
		run(runner().withBean(ConnectionFactory.class, () -> withCommit(commit)), (shop, context) -> {
			commit.cancel(within(context, PROPAGATION_REQUIRED, () -> shop.locked("inside", shop::insert)));
			assertThat(isFree(context, "inside")).isFalse();
			commit.proceed();
			await().until(() -> isFree(context, "inside"));
			assertThat(shop.sold()).isEqualTo(1);
		});
	}

	@Test
	void cancellationDuringTheCommitLosesTheLockAroundIt() {
		DelayedCommit commit = new DelayedCommit();
		run(runner().withBean(ConnectionFactory.class, () -> withCommit(commit)), (shop, context) -> {
			AtomicReference<HeldLock> held = new AtomicReference<>();
			commit.cancel(shop.sell(() -> remember(held)));
			assertThat(held.get().isValid()).isFalse();
			commit.proceed();
			await().until(() -> shop.sold() == 1);
			assertThat(isFree(context, "sale")).isFalse();
		});
	}

	/**
	 * The next owner sees what was committed, although the cancellation releases the
	 * lock.
	 */
	@Test
	void cancellationDuringTheCommitReleasesTheLockAroundItAfterItsEnd() {
		DelayedCommit commit = new DelayedCommit();
		run(releasing(withCommit(commit)), (shop, context) -> {
			AtomicReference<HeldLock> held = new AtomicReference<>();
			commit.cancel(shop.sell(() -> remember(held)));
			await().until(() -> !held.get().isValid());
			CompletableFuture<Long> next = soldByNextOwner(shop, context);
			LockInspector locks = context.getBean(LockInspector.class);
			await().until(() -> !locks.overview("local", new LockKey("sale")).waiting().isEmpty());
			commit.proceed();
			assertThat(next.get(1, TimeUnit.MINUTES)).isEqualTo(1);
		});
	}

	@Test
	void transactionThatIsCancelledBeforeItsCommitRollsBack() {
		DelayedCommit commit = new DelayedCommit();
		AtomicReference<@Nullable Integer> status = new AtomicReference<>();
		run(releasing(ConnectionFactories.get(this.url)), (shop, context) -> {
			commit.cancel(shop.sell(() -> beforeCommit(commit::reached, status::set)));
			await().until(() -> isFree(context, "sale"));
			commit.proceed();
			await().until(() -> status.get() != null);
			assertThat(status).hasValue(TransactionSynchronization.STATUS_ROLLED_BACK);
			assertThat(shop.sold()).isZero();
		});
	}

	private ApplicationContextRunner releasing(ConnectionFactory database) {
		return runner().withBean(ConnectionFactory.class, () -> database)
			.withPropertyValues("leasehold.reactive.on-cancel=release");
	}

	private static CompletableFuture<Long> soldByNextOwner(ReactiveShop shop, ApplicationContext context) {
		DistributedLocks locks = context.getBean(DistributedLocks.class);
		LockOptions patient = locks.defaults().toBuilder().waitTime(Duration.ofMinutes(1)).build();
		return locks.acquireAsync("sale", patient).thenApply((held) -> {
			try (held) {
				return shop.sold();
			}
		});
	}

	private static Mono<Void> beforeCommit(Supplier<Mono<Void>> action, Consumer<Integer> completed) {
		return TransactionSynchronizationManager.forCurrentTransaction()
			.doOnNext((current) -> current.registerSynchronization(new TransactionSynchronization() {

				@Override
				public Mono<Void> beforeCommit(boolean readOnly) {
					return action.get();
				}

				@Override
				public Mono<Void> afterCompletion(int status) {
					return Mono.fromRunnable(() -> completed.accept(status));
				}

			}))
			.then();
	}

	private static Mono<Void> remember(AtomicReference<HeldLock> held) {
		return ReactiveLocks.current().doOnNext(held::set).then();
	}

	private static void assertUnknown(HeldLock held) {
		LockLostException loss = catchThrowableOfType(LockLostException.class, held::throwIfLost);
		assertThat(loss.getLossCause()).isEqualTo(LossCause.COMMIT_UNKNOWN);
	}

	private ConnectionFactory withCommit(Commit commit) {
		return new DelegatingConnectionFactory(ConnectionFactories.get(this.url)) {

			@Override
			public Mono<Connection> create() {
				return super.create().map((target) -> withCommit(target, commit));
			}

		};
	}

	private static Connection withCommit(Connection target, Commit commit) {
		return (Connection) Proxy.newProxyInstance(Connection.class.getClassLoader(),
				new Class<?>[] { Connection.class },
				(proxy, method, arguments) -> method.getName().equals("commitTransaction") ? commit.execute(target)
						: method.invoke(target, arguments));
	}

	private static Mono<Void> withoutResponse(Connection target) {
		return Mono.from(target.commitTransaction())
			.then(Mono.from(target.close()))
			.then(Mono.error(new R2dbcNonTransientResourceException("The connection was reset", "08006")));
	}

	private static Mono<Void> rejected(Connection target) {
		return Mono.from(target.rollbackTransaction())
			.then(Mono.error(new R2dbcDataIntegrityViolationException("A deferred constraint is violated", "23505")));
	}

	/** Commit that takes until {@code proceed} is called. */
	private static final class DelayedCommit implements Commit {

		private final CountDownLatch begun = new CountDownLatch(1);

		private final Sinks.Empty<Void> delay = Sinks.empty();

		@Override
		public Mono<Void> execute(Connection target) {
			return reached().then(Mono.from(target.commitTransaction()));
		}

		Mono<Void> reached() {
			return Mono.fromRunnable(this.begun::countDown).then(this.delay.asMono());
		}

		void cancel(Mono<Void> work) throws InterruptedException {
			Disposable subscription = work.subscribe();
			assertThat(this.begun.await(1, TimeUnit.MINUTES)).isTrue();
			subscription.dispose();
		}

		void proceed() {
			this.delay.tryEmitEmpty().orThrow();
		}

	}

	private interface Commit {

		Mono<Void> execute(Connection target);

	}

}
