package io.leasehold.sample.shop;

import java.time.Instant;

import io.leasehold.annotation.DistributedLock;

import org.springframework.stereotype.Component;

/**
 * The payment provider, which bears a few requests of this shop at a time, over all its
 * instances.
 */
@Component
public class PaymentProvider {

	private final Work work;

	public PaymentProvider(Work work) {
		this.work = work;
	}

	/**
	 * What the provider answers.
	 *
	 * @param asked when it was asked
	 * @param answered when it answered
	 */
	public record Receipt(Instant asked, Instant answered) {
	}

	/**
	 * Charge a customer. The order is the request's idempotency key: asked twice, a
	 * provider charges once.
	 * @param orderId the order
	 * @return the receipt
	 */
	@DistributedLock(key = "'payment-provider'", permits = "${shop.payment.parallel}", waitTime = "10s")
	public Receipt charge(long orderId) {
		Instant asked = Instant.now();
		this.work.call();
		return new Receipt(asked, Instant.now());
	}

}
