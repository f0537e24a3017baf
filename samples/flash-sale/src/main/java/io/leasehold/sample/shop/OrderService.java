package io.leasehold.sample.shop;

import io.leasehold.annotation.DistributedLock;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionOperations;

/**
 * Orders that are paid at most once, even if the customer, the payment provider's
 * callback and a cancellation arrive at the same time.
 */
@Service
public class OrderService {

	private final JdbcClient jdbc;

	private final TransactionOperations transactions;

	private final PaymentProvider provider;

	private final Work work;

	public OrderService(JdbcClient jdbc, TransactionOperations transactions, PaymentProvider provider, Work work) {
		this.jdbc = jdbc;
		this.transactions = transactions;
		this.provider = provider;
		this.work = work;
	}

	@Transactional
	public long create() {
		return this.jdbc.sql("SELECT id FROM FINAL TABLE (INSERT INTO orders (status) VALUES ('NEW'))")
			.query(Long.class)
			.single();
	}

	/**
	 * Pay an order. The request to the provider is sent under the lock, but outside a
	 * transaction: a transaction would keep a database connection and the provider's
	 * permit for longer than necessary.
	 * @param orderId the order
	 * @return whether it was paid now
	 */
	@DistributedLock(key = "'order:' + #orderId", waitTime = "5s", fenced = true)
	public boolean pay(long orderId) {
		if (!isNew(orderId)) {
			return false;
		}
		PaymentProvider.Receipt receipt = this.provider.charge(orderId);
		this.transactions.executeWithoutResult((status) -> {
			move(orderId, "PAID");
			this.jdbc.sql("INSERT INTO charge (order_id, requested, responded) VALUES (?, ?, ?)")
				.params(orderId, receipt.requested(), receipt.responded())
				.update();
		});
		return true;
	}

	@DistributedLock(key = "'order:' + #orderId", waitTime = "5s", fenced = true)
	@Transactional
	public boolean cancel(long orderId) {
		if (!isNew(orderId)) {
			return false;
		}
		this.work.think();
		move(orderId, "CANCELLED");
		return true;
	}

	public int payments(long orderId) {
		return this.jdbc.sql("SELECT COUNT(*) FROM charge WHERE order_id = ?")
			.param(orderId)
			.query(Integer.class)
			.single();
	}

	private boolean isNew(long orderId) {
		return this.jdbc.sql("SELECT status FROM orders WHERE id = ?")
			.param(orderId)
			.query(String.class)
			.single()
			.equals("NEW");
	}

	private void move(long orderId, String status) {
		this.jdbc.sql("UPDATE orders SET status = ? WHERE id = ?").params(status, orderId).update();
	}

}
