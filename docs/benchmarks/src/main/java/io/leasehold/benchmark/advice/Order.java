package io.leasehold.benchmark.advice;

import java.util.Locale;

/**
 * Identification of an order; public getters for SpEL.
 */
public final class Order {

	private final String id;

	Order(String id) {
		this.id = id;
	}

	/**
	 * Return the id.
	 * @return the id
	 */
	public String getId() {
		return this.id;
	}

	/**
	 * Return the id behind a prefix.
	 * @param prefix the prefix
	 * @return prefix and id
	 */
	public String reference(String prefix) {
		return prefix.toLowerCase(Locale.ROOT) + this.id;
	}

}
