package io.leasehold.transaction;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * An application that keeps its stock in a database, behind a pool that shows leaked
 * connections. The stock is asserted by a connection outside of that pool.
 */
abstract class StockFixture {

	final HikariDataSource pool = new HikariDataSource();

	final JdbcTemplate jdbc = new JdbcTemplate(this.pool);

	final DataSource database = dataSource();

	final JdbcTemplate observer = new JdbcTemplate(this.database);

	/** Where the application keeps its data. */
	abstract DataSource dataSource();

	@BeforeEach
	void fillStock() {
		this.pool.setDataSource(this.database);
		this.pool.setMaximumPoolSize(4);
		this.pool.setMinimumIdle(0);
		this.observer.execute("DROP TABLE IF EXISTS stock");
		this.observer.execute("CREATE TABLE stock (units INT NOT NULL)");
		this.observer.update("INSERT INTO stock VALUES (10)");
	}

	@AfterEach
	void dropStock() {
		this.pool.close(); // ends what a failed test has left open
		this.observer.execute("DROP TABLE stock");
	}

	int stock() {
		Integer units = this.jdbc.queryForObject("SELECT units FROM stock", Integer.class);
		return (units != null) ? units : -1;
	}

	void setStock(int units) {
		this.jdbc.update("UPDATE stock SET units = ?", units);
	}

	/** Assert what others see, and that the thread has let go of everything. */
	void assertStockIs(int units) {
		assertThat(this.observer.queryForObject("SELECT units FROM stock", Integer.class)).isEqualTo(units);
		// Not at once: the guard purges its table in the background
		await().until(() -> this.pool.getHikariPoolMXBean().getActiveConnections() == 0);
		assertThat(TransactionSynchronizationManager.getResourceMap()).isEmpty();
		assertThat(TransactionSynchronizationManager.isSynchronizationActive()).isFalse();
	}

}
