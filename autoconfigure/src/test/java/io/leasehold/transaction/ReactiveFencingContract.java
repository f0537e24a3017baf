package io.leasehold.transaction;

import java.time.Duration;
import java.time.LocalDateTime;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

import io.leasehold.HeldLock;
import io.leasehold.StaleFencingTokenException;
import io.leasehold.annotation.DistributedLock;
import io.leasehold.autoconfigure.LockEngineConfigurationException;
import io.leasehold.reactive.ReactiveFencingGuard;
import io.leasehold.reactive.ReactiveLocks;
import io.leasehold.reactive.ReactiveTransactions;
import io.leasehold.test.contract.Fault;
import io.r2dbc.spi.ConnectionFactories;
import io.r2dbc.spi.ConnectionFactory;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import org.springframework.context.ApplicationContext;
import org.springframework.core.io.ClassPathResource;
import org.springframework.r2dbc.connection.R2dbcTransactionManager;
import org.springframework.r2dbc.connection.init.ResourceDatabasePopulator;
import org.springframework.r2dbc.core.DatabaseClient;
import org.springframework.transaction.ReactiveTransactionManager;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.reactive.TransactionalOperator;
import org.springframework.transaction.support.DefaultTransactionDefinition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;
import static org.springframework.transaction.TransactionDefinition.PROPAGATION_REQUIRED;

/**
 * Contract of {@link R2dbcFencingGuard}.
 */
abstract class ReactiveFencingContract extends ReactiveShopFixture {

	/** Folder of the script that creates the fence table. */
	abstract String platform();

	@Test
	void fencedMethodAnnouncesItsTokenAndCommits() {
		fenced((shop, context) -> {
			AtomicReference<HeldLock> held = new AtomicReference<>();
			ReactiveShop
				.run(context.getBean(FencedShop.class).sell(() -> ReactiveLocks.current().doOnNext(held::set).then()));
			assertThat(announced(context)).isEqualTo(held.get().fencingToken());
			assertThat(shop.sold()).isEqualTo(1);
		});
	}

	@Test
	void formerOwnerRollsBackAfterItsSuccessorHasAnnounced() {
		fenced((shop, context) -> {
			assertStale(fence(context, 5, within(context, PROPAGATION_REQUIRED,
					() -> shop.insert().then(elsewhere(fence(context, 6, Mono.empty()))))));
			assertThat(shop.sold()).isZero();
			assertThat(announced(context)).isEqualTo(6);
		});
	}

	@Test
	@Fault(96)
	void formerOwnerThatComesLateDoesNotBegin() {
		fenced((shop, context) -> {
			AtomicBoolean begun = new AtomicBoolean();
			ReactiveShop.run(fence(context, 6, Mono.empty()));
			assertStale(fence(context, 5, Mono.fromRunnable(() -> begun.set(true))));
			assertThat(begun).isFalse();
		});
	}

	/** Inserts of the same row are in conflict, and in a deadlock on MariaDB. */
	@Test
	@Fault(96)
	void firstAnnouncementsAtTheSameMomentDoNotFail() {
		fenced((shop, context) -> {
			ReactiveShop.run(Flux.range(1, 8)
				.flatMap((token) -> fence(context, token, Mono.empty()).subscribeOn(Schedulers.boundedElastic())
					.onErrorComplete(StaleFencingTokenException.class))
				.then());
			assertThat(announced(context)).isEqualTo(8);
		});
	}

	@Test
	@Fault(99)
	void transactionOfAnotherDatabaseRollsBack() {
		fenced((shop, context) -> {
			ConnectionFactory database = ConnectionFactories.get(url());
			R2dbcTransactionManager other = new R2dbcTransactionManager(database);
			context.getBean(R2dbcCommitGuards.class).postProcessBeforeInitialization(other, "other");
			Mono<Void> sale = DatabaseClient.create(database).sql("INSERT INTO reactive_sale VALUES (1)").then();
			assertThatIllegalStateException().isThrownBy(
					() -> ReactiveShop.run(fence(context, 5, TransactionalOperator.create(other).transactional(sale))))
				.withMessageContaining("a database that takes no part in this transaction");
			assertThat(shop.sold()).isZero();
		});
	}

	@Test
	void ownerThatAnnouncesTwiceCommitsBothTimes() {
		fenced((shop, context) -> {
			Mono<Void> sale = fence(context, 5, within(context, PROPAGATION_REQUIRED, shop::insert));
			ReactiveShop.run(sale.then(sale));
			assertThat(shop.sold()).isEqualTo(2);
		});
	}

	@Test
	void transactionWhoseTokenWasRemovedRollsBack() {
		fenced((shop, context) -> {
			Mono<Void> removal = elsewhere(client(context).sql("DELETE FROM leasehold_fence").then());
			assertStale(fence(context, 5, within(context, PROPAGATION_REQUIRED, () -> shop.insert().then(removal))));
			assertThat(shop.sold()).isZero();
		});
	}

	@Test
	@Fault(101)
	void readOnlyTransactionCommits() {
		fenced((shop, context) -> {
			DefaultTransactionDefinition readOnly = new DefaultTransactionDefinition();
			readOnly.setReadOnly(true);
			TransactionalOperator operator = TransactionalOperator
				.create(context.getBean(ReactiveTransactionManager.class), readOnly);
			AtomicReference<Long> count = new AtomicReference<>();
			Mono<Void> read = client(context).sql("SELECT COUNT(*) FROM reactive_sale")
				.mapValue(Long.class)
				.one()
				.doOnNext(count::set)
				.then();
			ReactiveShop.run(fence(context, 5, operator.transactional(read)));
			assertThat(count).hasValue(0L);
		});
	}

	@Test
	@Fault(176)
	void idleTokenIsRemovedAndAFreshOneIsNot() {
		fenced((shop, context) -> {
			ReactiveShop.run(fence(context, 5, Mono.empty()));
			ReactiveShop.run(client(context).sql("UPDATE leasehold_fence SET announced_at = :longAgo")
				.bind("longAgo", LocalDateTime.now().minusDays(10))
				.then());
			ReactiveShop.run(restartedGuard(context, "other").fence(BelievedLock.of(6), Mono.<Void>empty()).then());
			await().until(() -> announced(context) == 6);
		});
	}

	@Test
	void openTransactionCannotBeFenced() {
		fenced((shop, context) -> {
			assertThatIllegalStateException()
				.isThrownBy(() -> ReactiveShop.run(within(context, PROPAGATION_REQUIRED,
						() -> shop.insert().then(fence(context, 5, shop.insert())))))
				.withMessageContaining("cannot be fenced in a transaction that was open before");
			assertThat(shop.sold()).isZero();
		});
	}

	@Test
	void missingTableFailsStartup() {
		ReactiveShop.run(withoutTable());
		runner().withUserConfiguration(FencedShop.class)
			.withPropertyValues("leasehold.fencing.initialize-schema=never")
			.run((context) -> assertThat(context).getFailure()
				.hasRootCauseInstanceOf(LockEngineConfigurationException.class)
				.hasMessageContaining("leasehold_fence"));
	}

	@Test
	void missingTableIsCreatedIfConfigured() {
		ReactiveShop.run(withoutTable());
		run(runner().withUserConfiguration(FencedShop.class)
			.withPropertyValues("leasehold.fencing.initialize-schema=always"), (shop, context) -> {
				ReactiveShop.run(context.getBean(FencedShop.class).sell(Mono::empty));
				assertThat(shop.sold()).isEqualTo(1);
			});
	}

	private void fenced(ShopTest test) {
		ReactiveShop.run(withoutTable().then(new ResourceDatabasePopulator(new ClassPathResource(
				"io/leasehold/transaction/migration/%s/R__leasehold_fence.sql".formatted(platform())))
			.populate(ConnectionFactories.get(url()))));
		run(runner().withUserConfiguration(FencedShop.class), test);
	}

	/** Return a guard whose first use removes idle tokens. */
	static R2dbcFencingGuard restartedGuard(ApplicationContext context, String namespace) {
		return new R2dbcFencingGuard(context.getBean(ConnectionFactory.class), namespace, Duration.ofDays(7),
				context.getBean(ReactiveTransactions.class));
	}

	private Mono<Void> withoutTable() {
		return DatabaseClient.create(ConnectionFactories.get(url())).sql("DROP TABLE IF EXISTS leasehold_fence").then();
	}

	private static Mono<Void> fence(ApplicationContext context, long token, Mono<Void> work) {
		return context.getBean(ReactiveFencingGuard.class).fence(BelievedLock.of(token), work).then();
	}

	/** Subscribe outside of the transaction of the caller. */
	private static Mono<Void> elsewhere(Mono<Void> work) {
		return Mono.fromFuture(work::toFuture);
	}

	private static long announced(ApplicationContext context) {
		List<Long> tokens = client(context).sql("SELECT token FROM leasehold_fence")
			.mapValue(Long.class)
			.all()
			.collectList()
			.block(Duration.ofMinutes(1));
		return (tokens.size() == 1) ? tokens.get(0) : -1;
	}

	private static DatabaseClient client(ApplicationContext context) {
		return context.getBean(DatabaseClient.class);
	}

	private static void assertStale(Mono<Void> work) {
		assertThatExceptionOfType(StaleFencingTokenException.class).isThrownBy(() -> ReactiveShop.run(work));
	}

	static class FencedShop {

		private final ReactiveShop shop;

		FencedShop(ReactiveShop shop) {
			this.shop = shop;
		}

		@Transactional
		@DistributedLock(key = "'sale'", fenced = true)
		public Mono<Void> sell(Supplier<Mono<Void>> then) {
			return this.shop.insert().then(Mono.defer(then));
		}

	}

}
