package io.leasehold.test.contract;

import java.sql.SQLException;
import java.time.Duration;
import java.util.Objects;

import io.leasehold.FencingGuard;
import io.leasehold.HeldLock;
import io.leasehold.HeldLockScope;
import io.leasehold.transaction.CommitGuard;
import io.leasehold.transaction.JdbcFencingGuard;
import org.h2.tools.Server;

import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * A shop whose stock is guarded by fencing tokens, in a database that several processes
 * use. It never checks its locks, so that only the tokens prevent concurrent sales.
 */
public final class FencedShop {

	private final JdbcTemplate jdbc;

	private final FencingGuard guard;

	private final TransactionTemplate transaction;

	FencedShop(String url) {
		DriverManagerDataSource dataSource = new DriverManagerDataSource(url);
		DataSourceTransactionManager manager = new DataSourceTransactionManager(dataSource);
		CommitGuard.addTo(manager, false);
		this.jdbc = new JdbcTemplate(dataSource);
		this.guard = new JdbcFencingGuard(dataSource, "shop", Duration.ofDays(1));
		this.transaction = new TransactionTemplate(manager);
	}

	/**
	 * Open a shop that only this process uses.
	 * @param name unique name
	 * @param units the stock
	 * @return the shop
	 */
	public static FencedShop inMemory(String name, int units) {
		return new FencedShop("jdbc:h2:mem:%s;DB_CLOSE_DELAY=-1".formatted(name)).open(units);
	}

	/** Start a database server in this process. */
	static Server startDatabase() throws SQLException {
		return Server.createTcpServer("-tcpPort", "0", "-ifNotExists").start();
	}

	static String url(Server database, String name) {
		return "jdbc:h2:tcp://localhost:%d/mem:%s;DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=20000".formatted(database.getPort(),
				name);
	}

	FencedShop open(int units) {
		new ResourceDatabasePopulator(
				new ClassPathResource("io/leasehold/transaction/migration/h2/R__leasehold_fence.sql"))
			.execute(Objects.requireNonNull(this.jdbc.getDataSource()));
		this.jdbc.execute("CREATE TABLE stock (units INT NOT NULL)");
		this.jdbc.update("INSERT INTO stock VALUES (?)", units);
		return this;
	}

	/**
	 * Sell a unit under a lock.
	 * @param lock the lock
	 */
	public void sell(HeldLock lock) {
		sell(lock, () -> {
		});
	}

	/**
	 * Sell a unit under a lock, with a pause between reading the stock and writing it.
	 */
	@SuppressWarnings("try")
	void sell(HeldLock lock, Runnable pause) {
		try (HeldLockScope scope = this.guard.open(lock)) {
			this.transaction.executeWithoutResult((status) -> {
				int units = stock();
				pause.run();
				this.jdbc.update("UPDATE stock SET units = ?", units - 1);
			});
		}
	}

	/** Return how many units are left. */
	public int stock() {
		Integer units = this.jdbc.queryForObject("SELECT units FROM stock", Integer.class);
		return Objects.requireNonNull(units);
	}

}
