package io.leasehold.transaction;

import java.util.List;
import java.util.concurrent.Callable;

import io.leasehold.LockException;
import io.leasehold.LockScope;
import io.leasehold.annotation.DistributedLock;
import io.leasehold.annotation.WhenBusy;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/**
 * Methods whose locks end with their transaction.
 */
public class ScopedShop {

	private final JdbcTemplate jdbc;

	ScopedShop(JdbcTemplate jdbc) {
		this.jdbc = jdbc;
	}

	/** Read, then write: two at the same time lose an update. */
	@Transactional
	@DistributedLock(key = "'stock'", scope = LockScope.TRANSACTION, waitTime = "60s")
	public void sell() {
		this.jdbc.update("UPDATE stock SET units = ?", units() - 1);
	}

	@DistributedLock(key = "#key", name = "inside", scope = LockScope.TRANSACTION, waitTime = "0s")
	public <T> T inside(String key, Callable<T> body) throws Exception {
		return body.call();
	}

	@DistributedLock(key = "#key", scope = LockScope.TRANSACTION, waitTime = "60s")
	public void patiently(String key) {
	}

	@DistributedLock(key = "#key", scope = LockScope.TRANSACTION, waitTime = "1200ms")
	public void shortly(String key) {
	}

	@DistributedLock(key = "#keys", scope = LockScope.TRANSACTION, waitTime = "0s")
	public void several(List<String> keys) {
	}

	@DistributedLock(key = "#key", scope = LockScope.TRANSACTION, waitTime = "300ms", whenBusy = WhenBusy.SKIP)
	public Integer skipping(String key) {
		return this.jdbc.update("INSERT INTO sold VALUES ('body')");
	}

	@DistributedLock(key = "#key", scope = LockScope.TRANSACTION, waitTime = "300ms", fallback = "other")
	public Integer falling(String key) {
		return this.jdbc.update("INSERT INTO sold VALUES ('body')");
	}

	@DistributedLock(key = "#key", scope = LockScope.TRANSACTION, waitTime = "60s", fallback = "other")
	public Integer patientlyOrOther(String key) {
		return 1;
	}

	Integer other(String key, LockException reason) {
		return 10 * this.jdbc.update("INSERT INTO sold VALUES ('fallback')");
	}

	@DistributedLock(key = "#key", scope = LockScope.TRANSACTION, condition = "#key != 'free'", waitTime = "0s")
	public void conditionally(String key) {
	}

	@Transactional(propagation = Propagation.REQUIRES_NEW)
	@DistributedLock(key = "#key", scope = LockScope.TRANSACTION, waitTime = "0s")
	public void inNewTransaction(String key) {
	}

	@Transactional(propagation = Propagation.NOT_SUPPORTED)
	@DistributedLock(key = "#key", scope = LockScope.TRANSACTION, waitTime = "0s")
	public void withoutTransaction(String key) {
	}

	@DistributedLock(key = "#key", scope = LockScope.TRANSACTION, waitTime = "0s")
	public Object late(Object result, String key) {
		return result;
	}

	int units() {
		Integer units = this.jdbc.queryForObject("SELECT units FROM stock", Integer.class);
		return (units != null) ? units : -1;
	}

}
