package io.leasehold.transaction;

import java.time.Duration;
import java.util.function.Supplier;

import io.leasehold.HeldLock;
import io.leasehold.LockInspector;
import io.leasehold.LockKey;
import io.leasehold.annotation.DistributedLock;
import io.leasehold.autoconfigure.LeaseholdAutoConfiguration;
import io.leasehold.autoconfigure.LeaseholdLocalAutoConfiguration;
import io.leasehold.autoconfigure.fencing.LeaseholdReactiveFencingAutoConfiguration;
import io.leasehold.reactive.ReactiveLocks;
import reactor.core.publisher.Mono;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.r2dbc.autoconfigure.R2dbcAutoConfiguration;
import org.springframework.boot.r2dbc.autoconfigure.R2dbcTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.boot.transaction.autoconfigure.TransactionManagerCustomizationAutoConfiguration;
import org.springframework.r2dbc.core.DatabaseClient;
import org.springframework.transaction.annotation.Transactional;

import static org.awaitility.Awaitility.await;

/**
 * A shop that records its sales by reactive transactions.
 */
class ReactiveShop {

	/** How long a test waits for what has to come before it fails. */
	static final Duration SOON = Duration.ofMinutes(1);

	private final DatabaseClient database;

	private final LockInspector locks;

	ReactiveShop(DatabaseClient database, LockInspector locks) {
		this.database = database;
		this.locks = locks;
	}

	/** An application whose leases outlast each test, with R2DBC's pool except on H2. */
	static ApplicationContextRunner runner(String url) {
		return new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(LeaseholdAutoConfiguration.class,
					LeaseholdLocalAutoConfiguration.class, LeaseholdReactiveFencingAutoConfiguration.class,
					R2dbcAutoConfiguration.class, R2dbcTransactionManagerAutoConfiguration.class,
					TransactionAutoConfiguration.class, TransactionManagerCustomizationAutoConfiguration.class))
			.withUserConfiguration(ReactiveShop.class)
			.withPropertyValues("leasehold.engine=local", "leasehold.lease=10m", "leasehold.wait-time=0s",
					"spring.r2dbc.url=" + url, "spring.r2dbc.pool.enabled=" + !url.startsWith("r2dbc:h2"),
					"spring.r2dbc.pool.initial-size=0");
	}

	/** Sell one piece, and do something more in the same transaction. */
	@Transactional
	@DistributedLock(key = "'sale'")
	public Mono<Void> sell(Supplier<Mono<Void>> then) {
		return insert().then(Mono.defer(then));
	}

	/** Do something under a lock, whatever transaction the caller runs in. */
	@DistributedLock(key = "#key")
	public Mono<Void> locked(String key, Supplier<Mono<Void>> body) {
		return Mono.defer(body);
	}

	/** As above, but the declaration does not show that the result ends later. */
	@DistributedLock(key = "#key")
	public Object anything(String key, Supplier<Mono<Void>> body) {
		return Mono.defer(body);
	}

	Mono<Void> insert() {
		return this.database.sql("INSERT INTO reactive_sale VALUES (1)").then();
	}

	/** Take the lock of the subscription away, and wait until its holder could know. */
	Mono<Void> lose() {
		return ReactiveLocks.current().doOnNext(this::lose).then();
	}

	void lose(HeldLock held) {
		this.locks.forceRelease("local", new LockKey(held.key()));
		await().until(() -> !held.isValid());
	}

	void createTable() {
		run(this.database.sql("DROP TABLE IF EXISTS reactive_sale").then());
		run(this.database.sql("CREATE TABLE reactive_sale (id INT)").then());
	}

	/** What others see: the committed sales. */
	long sold() {
		Long count = this.database.sql("SELECT COUNT(*) FROM reactive_sale").mapValue(Long.class).one().block(SOON);
		return (count != null) ? count : -1;
	}

	static void run(Mono<Void> work) {
		work.block(SOON);
	}

}
