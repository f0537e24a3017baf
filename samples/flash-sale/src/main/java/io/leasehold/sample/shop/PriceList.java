package io.leasehold.sample.shop;

import java.util.Collection;
import java.util.Map;

import io.leasehold.HeldLock;
import io.leasehold.LockMode;
import io.leasehold.annotation.DistributedLock;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;

/**
 * The prices. Many callers read them concurrently, but none while a new list is
 * published, price by price and not in one transaction.
 */
@Service
public class PriceList {

	private final JdbcClient jdbc;

	private final Work work;

	public PriceList(JdbcClient jdbc, Work work) {
		this.jdbc = jdbc;
		this.work = work;
	}

	/**
	 * Quote a price from a single version of the list.
	 * @param articles the articles
	 * @return the sum in cents
	 */
	@DistributedLock(key = "'price-list'", mode = LockMode.SHARED)
	public int quote(Collection<String> articles) {
		return articles.stream().mapToInt(this::priceOf).sum();
	}

	/**
	 * Publish a new list.
	 * @param prices price in cents of each article
	 */
	@DistributedLock(key = "'price-list'")
	public void publish(Map<String, Integer> prices) {
		prices.forEach((article, cents) -> {
			this.work.think();
			HeldLock.current().throwIfLost();
			this.jdbc.sql("MERGE INTO price (article, cents) KEY (article) VALUES (?, ?)")
				.params(article, cents)
				.update();
		});
	}

	private int priceOf(String article) {
		this.work.think();
		return this.jdbc.sql("SELECT cents FROM price WHERE article = ?").param(article).query(Integer.class).single();
	}

}
