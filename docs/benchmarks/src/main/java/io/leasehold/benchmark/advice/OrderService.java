package io.leasehold.benchmark.advice;

import io.leasehold.annotation.DistributedLock;

/**
 * One method body under keys of each kind.
 */
public class OrderService {

	static final String LITERAL = "'order'";

	static final String ID = "'order:' + #id";

	static final String PROPERTY = "#order.id";

	static final String METHOD_CALL = "#order.reference('order:')";

	/** Nothing; called without a proxy. */
	Object bare(Long id) {
		return id;
	}

	/** An interceptor that does nothing. */
	@Proxied
	Object proxied(Long id) {
		return id;
	}

	@DistributedLock(key = LITERAL)
	Object literal(Long id) {
		return id;
	}

	@DistributedLock(key = ID)
	Object longId(Long id) {
		return id;
	}

	@DistributedLock(key = ID)
	Object textId(String id) {
		return id;
	}

	@DistributedLock(key = PROPERTY)
	Object property(Order order) {
		return order;
	}

	@DistributedLock(key = METHOD_CALL)
	Object methodCall(Order order) {
		return order;
	}

}
