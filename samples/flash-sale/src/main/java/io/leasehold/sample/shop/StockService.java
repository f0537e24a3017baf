package io.leasehold.sample.shop;

import io.leasehold.HeldLock;
import io.leasehold.annotation.DistributedLock;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/**
 * Sells units while there are any. It reads the stock, works, and writes the new stock.
 * Two callers that do this at the same time sell the same unit twice.
 */
@Service
public class StockService {

	private final JdbcClient jdbc;

	private final Work work;

	public StockService(JdbcClient jdbc, Work work) {
		this.jdbc = jdbc;
		this.work = work;
	}

	/**
	 * Sell a unit, one buyer after the other. Fenced: a seller that was paused past its
	 * lease cannot sell units of later sellers again when it continues.
	 * @param saleId the sale
	 * @param instance who sells
	 * @return whether there was one left
	 */
	@DistributedLock(key = "'stock:' + #saleId", lease = "5s", waitTime = "20s", fenced = true)
	@Transactional
	public boolean sell(long saleId, String instance) {
		return deduct(saleId, instance, HeldLock.current().fencingToken());
	}

	/**
	 * Sell a unit without a lock.
	 * @param saleId the sale
	 * @param instance who sells
	 * @return whether there seemed to be one left
	 */
	@Transactional
	public boolean sellWithoutLock(long saleId, String instance) {
		return deduct(saleId, instance, 0);
	}

	private boolean deduct(long saleId, String instance, long token) {
		int left = this.jdbc.sql("SELECT left_over FROM sale WHERE id = ?").param(saleId).query(Integer.class).single();
		if (left <= 0) {
			return false;
		}
		this.work.think();
		this.jdbc.sql("UPDATE sale SET left_over = ? WHERE id = ?").params(left - 1, saleId).update();
		this.jdbc.sql("INSERT INTO purchase (sale_id, unit, instance, token) VALUES (?, ?, ?, ?)")
			.params(saleId, left, instance, token)
			.update();
		return true;
	}

}
