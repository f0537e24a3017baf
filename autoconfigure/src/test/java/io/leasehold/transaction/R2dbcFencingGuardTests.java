package io.leasehold.transaction;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.leasehold.DistributedLocks;
import io.leasehold.HeldLock;
import io.leasehold.annotation.DistributedLock;
import io.leasehold.autoconfigure.LockEngineConfigurationException;
import io.leasehold.reactive.ReactiveFencingGuard;
import io.leasehold.test.contract.Fault;
import io.r2dbc.spi.Connection;
import io.r2dbc.spi.ConnectionFactories;
import io.r2dbc.spi.ConnectionFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.core.io.ClassPathResource;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.r2dbc.connection.DelegatingConnectionFactory;
import org.springframework.r2dbc.connection.R2dbcTransactionManager;
import org.springframework.r2dbc.connection.init.ResourceDatabasePopulator;
import org.springframework.r2dbc.core.DatabaseClient;
import org.springframework.transaction.ReactiveTransactionManager;
import org.springframework.transaction.annotation.Transactional;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;
import static org.springframework.transaction.TransactionDefinition.PROPAGATION_REQUIRED;

/**
 * Tests for {@link R2dbcFencingGuard} in applications that configure R2DBC in their own
 * way.
 */
class R2dbcFencingGuardTests extends ReactiveShopFixture {

	private final String url = h2();

	private final ConnectionFactory database = ConnectionFactories.get(this.url);

	@Override
	String url() {
		return this.url;
	}

	@BeforeEach
	void createFenceTable() {
		ReactiveShop.run(new ResourceDatabasePopulator(
				new ClassPathResource("io/leasehold/transaction/migration/h2/R__leasehold_fence.sql"))
			.populate(this.database));
	}

	@Test
	void managerMayBeDeclaredByItsInterface() {
		assertFencedSale(runner().withUserConfiguration(DeclaredManager.class));
	}

	@Test
	void tableIsCreatedInAnEmbeddedDatabase() {
		ReactiveShop.run(DatabaseClient.create(this.database).sql("DROP TABLE leasehold_fence").then());
		assertFencedSale(runner());
	}

	/** Each call tries to create the table until it exists. */
	@Test
	void guardMayBeCreatedInAThreadThatMustNotBlock() {
		DatabaseClient client = DatabaseClient.create(this.database);
		ReactiveShop.run(client.sql("DROP TABLE leasehold_fence").then());
		ReactiveShop.run(client.sql("CREATE VIEW leasehold_fence AS SELECT 1 AS token").then());
		run(runner(), (shop, context) -> {
			ReactiveFencingGuard guard = CompletableFuture
				.supplyAsync(() -> context.getBean(ReactiveFencingGuard.class), Schedulers.parallel()::schedule)
				.get(1, TimeUnit.MINUTES);
			Mono<String> call = guard.fence(BelievedLock.of(5), Mono.just("ran")).single();
			assertThatExceptionOfType(LockEngineConfigurationException.class)
				.isThrownBy(() -> call.block(ReactiveShop.SOON))
				.withMessageContaining("Table leasehold_fence");
			ReactiveShop.run(client.sql("DROP VIEW leasehold_fence").then());
			assertThat(call.block(ReactiveShop.SOON)).isEqualTo("ran");
			assertThat(call.block(ReactiveShop.SOON)).isEqualTo("ran");
		});
	}

	@Test
	void lostLockPreventsTheCommitBeforeItHasASuccessor() {
		run(runner(), (shop, context) -> {
			HeldLock held = context.getBean(DistributedLocks.class).acquire("sale");
			assertLost(context.getBean(ReactiveFencingGuard.class)
				.fence(held,
						within(context, PROPAGATION_REQUIRED,
								() -> shop.insert().then(Mono.fromRunnable(() -> shop.lose(held)))))
				.then());
			assertThat(shop.sold()).isZero();
		});
	}

	@Test
	@Fault(96)
	void announcementCommitsWithoutAutoCommit() {
		ConnectionFactory manual = new DelegatingConnectionFactory(this.database) {

			@Override
			public Mono<Connection> create() {
				return super.create()
					.flatMap((connection) -> Mono.from(connection.setAutoCommit(false)).thenReturn(connection));
			}

		};
		assertFencedSale(runner().withBean(ConnectionFactory.class, () -> manual));
	}

	@Test
	@Fault(176)
	void moreIdleTokensThanAreFoundAtOnceAreRemoved() {
		run(runner(), (shop, context) -> {
			DatabaseClient client = DatabaseClient.create(this.database);
			ReactiveShop.run(client.sql("""
					INSERT INTO leasehold_fence SELECT CAST(x AS BINARY(32)), 'local', '', 'idle', 1, DATE '2020-01-01'
					FROM SYSTEM_RANGE(1, 2500)""").then());
			ReactiveShop.run(context.getBean(ReactiveFencingGuard.class)
				.fence(BelievedLock.of(5), Mono.<Void>empty())
				.subscribeOn(Schedulers.boundedElastic())
				.then());
			await().until(() -> client.sql("SELECT COUNT(*) FROM leasehold_fence").mapValue(Long.class).one().block(),
					(count) -> count == 1);
		});
	}

	@Test
	void announcementThatTheTableRejectsFails() {
		ReactiveShop
			.run(DatabaseClient.create(this.database).sql("ALTER TABLE leasehold_fence ADD extra INT NOT NULL").then());
		run(runner(), (shop, context) -> assertThatExceptionOfType(DataIntegrityViolationException.class)
			.isThrownBy(() -> ReactiveShop.run(context.getBean(ReactiveFencingGuard.class)
				.fence(BelievedLock.of(5), Mono.<Void>empty())
				.subscribeOn(Schedulers.boundedElastic())
				.then()))
			.withMessageContaining("Announce the fencing token of lock 'stock'"));
	}

	private static void assertFencedSale(ApplicationContextRunner runner) {
		run(runner.withUserConfiguration(FencedShop.class), (shop, context) -> {
			ReactiveShop.run(context.getBean(FencedShop.class).sell());
			assertThat(shop.sold()).isEqualTo(1);
		});
	}

	static class DeclaredManager {

		@Bean
		ReactiveTransactionManager ownManager(ConnectionFactory database) {
			return new R2dbcTransactionManager(database);
		}

	}

	static class FencedShop {

		private final ReactiveShop shop;

		FencedShop(ReactiveShop shop) {
			this.shop = shop;
		}

		@Transactional
		@DistributedLock(key = "'sale'", fenced = true)
		public Mono<Void> sell() {
			return this.shop.insert();
		}

	}

}
