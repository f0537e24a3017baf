package io.leasehold.transaction;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import javax.sql.DataSource;

import io.leasehold.LockBusyException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Application whose transactions hold locks, and tables in the same database.
 */
@TestInstance(Lifecycle.PER_CLASS)
abstract class ScopedTransactions {

	ScopedApplication application;

	ScopedShop shop;

	JdbcTemplate jdbc;

	JdbcTemplate observer;

	TransactionTemplate transaction;

	ScopedApplication.RecordedEvents events;

	abstract String url();

	/** The database outside of the application and its pool. */
	DataSource database() {
		return new DriverManagerDataSource(url());
	}

	/** Further beans of the application. */
	List<Class<?>> beans() {
		return List.of();
	}

	@BeforeAll
	void startApplication() {
		this.application = new ScopedApplication(url(), getClass().getSimpleName(), beans());
		this.shop = this.application.bean(ScopedShop.class);
		this.jdbc = this.application.bean(JdbcTemplate.class);
		this.observer = new JdbcTemplate(database());
		this.transaction = transaction(TransactionDefinition.ISOLATION_READ_COMMITTED);
		this.events = this.application.bean(ScopedApplication.RecordedEvents.class);
	}

	@AfterAll
	void stopApplication() {
		this.observer.execute("DROP TABLE stock");
		this.observer.execute("DROP TABLE sold");
		this.application.close();
	}

	@BeforeEach
	void createTables() {
		this.observer.execute("DROP TABLE IF EXISTS stock");
		this.observer.execute("DROP TABLE IF EXISTS sold");
		this.observer.execute("CREATE TABLE stock (units INT NOT NULL)");
		this.observer.execute("CREATE TABLE sold (what VARCHAR(20) NOT NULL)");
		this.observer.update("INSERT INTO stock VALUES (100)");
		this.events.all.clear();
	}

	TransactionTemplate transaction(int isolation) {
		return this.application.transaction(isolation);
	}

	void lock(String key) {
		call(() -> this.shop.inside(key, () -> true));
	}

	boolean isFreeForOthers(String key) {
		return tries(() -> lock(key));
	}

	boolean tries(Runnable request) {
		return get(inOtherThread(() -> {
			try {
				this.transaction.executeWithoutResult((status) -> request.run());
				return true;
			}
			catch (LockBusyException ex) {
				return false;
			}
		}));
	}

	void whileHeld(String key, Runnable action) {
		CountDownLatch locked = new CountDownLatch(1);
		CountDownLatch done = new CountDownLatch(1);
		Future<?> holder = inOtherTransaction((status) -> {
			lock(key);
			locked.countDown();
			meet(done);
		});
		meet(locked);
		try {
			action.run();
		}
		finally {
			done.countDown();
		}
		get(holder);
	}

	void sold(String what) {
		this.jdbc.update("INSERT INTO sold VALUES (?)", what);
	}

	List<String> sold() {
		return this.observer.queryForList("SELECT what FROM sold", String.class);
	}

	Future<?> inOtherTransaction(Consumer<TransactionStatus> work) {
		return inOtherThread(() -> {
			this.transaction.executeWithoutResult(work);
			return null;
		});
	}

	static <T extends @Nullable Object> Future<T> inOtherThread(Callable<T> work) {
		FutureTask<T> task = new FutureTask<>(work);
		new Thread(task).start();
		return task;
	}

	static <T extends @Nullable Object> T get(Future<T> result) {
		return call(() -> result.get(2, TimeUnit.MINUTES));
	}

	static void meet(CountDownLatch latch) {
		assertThat(ScopedTransactions.<Boolean>call(() -> latch.await(2, TimeUnit.MINUTES))).isTrue();
	}

	static <T extends @Nullable Object> T call(Callable<T> work) {
		try {
			return work.call();
		}
		catch (RuntimeException ex) {
			throw ex;
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

}
