package io.leasehold.sample.shop;

import io.leasehold.LockBusyException;
import io.leasehold.LockException;
import io.leasehold.annotation.DistributedLock;

import org.springframework.stereotype.Service;

/**
 * Accepts submissions of customers, and rejects the second of two clicks.
 */
@Service
public class CheckoutService {

	private final OrderService orders;

	public CheckoutService(OrderService orders) {
		this.orders = orders;
	}

	/**
	 * Submit an order. The key stays closed for five seconds, however quick this is.
	 * @param customer who submits
	 * @return message for the customer
	 */
	@DistributedLock(key = "'submit:' + #customer", waitTime = "0s", minHold = "5s", fallback = "alreadySubmitted")
	public String submit(String customer) {
		return "Order %s accepted".formatted(this.orders.create());
	}

	String alreadySubmitted(String customer, LockException reason) {
		return (reason instanceof LockBusyException) ? "Already submitted, please wait five seconds"
				: "The shop is out of order, please try again later";
	}

}
