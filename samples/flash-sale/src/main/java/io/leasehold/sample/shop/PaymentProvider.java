package io.leasehold.sample.shop;

import java.time.Instant;

import io.leasehold.annotation.DistributedLock;

import org.springframework.stereotype.Component;

/**
 * The payment provider, which accepts a few concurrent requests of this shop, over all
 * its instances.
 */
@Component
public class PaymentProvider {

	private final Work work;

	public PaymentProvider(Work work) {
		this.work = work;
	}

	/**
	 * Response of the provider.
	 *
	 * @param requested time of the request
	 * @param responded time of the response
	 */
	public record Receipt(Instant requested, Instant responded) {
	}

	/**
	 * Charge a customer. The order is the request's idempotency key: the provider charges
	 * repeated requests once.
	 * @param orderId the order
	 * @return the receipt
	 */
	@DistributedLock(key = "'payment-provider'", permits = "${shop.payment.parallel}", waitTime = "10s")
	public Receipt charge(long orderId) {
		Instant requested = Instant.now();
		this.work.call();
		return new Receipt(requested, Instant.now());
	}

}
