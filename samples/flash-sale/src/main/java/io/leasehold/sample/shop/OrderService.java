package io.leasehold.sample.shop;

import io.leasehold.annotation.DistributedLock;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/**
 * Orders that are paid once at most, even when the customer, the payment provider's
 * callback and a cancellation come at the same time.
 */
@Service
public class OrderService {

	private final JdbcClient jdbc;

	private final Work work;

	public OrderService(JdbcClient jdbc, Work work) {
		this.jdbc = jdbc;
		this.work = work;
	}

	@Transactional
	public long create() {
		return this.jdbc.sql("SELECT id FROM FINAL TABLE (INSERT INTO orders (status) VALUES ('NEW'))")
			.query(Long.class)
			.single();
	}

	@DistributedLock(key = "'order:' + #orderId", waitTime = "5s", fenced = true)
	@Transactional
	public boolean pay(long orderId) {
		return move(orderId, "PAID");
	}

	@DistributedLock(key = "'order:' + #orderId", waitTime = "5s", fenced = true)
	@Transactional
	public boolean cancel(long orderId) {
		return move(orderId, "CANCELLED");
	}

	public int payments(long orderId) {
		return this.jdbc.sql("SELECT COUNT(*) FROM payment WHERE order_id = ?")
			.param(orderId)
			.query(Integer.class)
			.single();
	}

	private boolean move(long orderId, String status) {
		String present = this.jdbc.sql("SELECT status FROM orders WHERE id = ?")
			.param(orderId)
			.query(String.class)
			.single();
		if (!present.equals("NEW")) {
			return false;
		}
		this.work.think();
		this.jdbc.sql("UPDATE orders SET status = ? WHERE id = ?").params(status, orderId).update();
		if (status.equals("PAID")) {
			this.jdbc.sql("INSERT INTO payment (order_id) VALUES (?)").param(orderId).update();
		}
		return true;
	}

}
