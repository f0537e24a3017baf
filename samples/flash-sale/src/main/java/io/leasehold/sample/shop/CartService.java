package io.leasehold.sample.shop;

import java.util.Map;
import java.util.TreeMap;

import io.leasehold.annotation.DistributedLock;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/**
 * Fills carts from the warehouse: everything that is in a cart, or nothing.
 */
@Service
public class CartService {

	private final JdbcClient jdbc;

	private final Work work;

	public CartService(JdbcClient jdbc, Work work) {
		this.jdbc = jdbc;
		this.work = work;
	}

	/**
	 * Fill a cart. It has a lock for each of its articles, or none, so carts without a
	 * common article do not wait for each other, and those with the same ones never do so
	 * in a circle, in whatever order they name them.
	 * @param cart the units of each article
	 * @return whether there was enough of everything
	 */
	@DistributedLock(key = "#cart.keySet().!['article:' + #this]", waitTime = "10s", fenced = true)
	@Transactional
	public boolean fill(Map<String, Integer> cart) {
		Map<String, Integer> left = new TreeMap<>();
		cart.forEach((article, units) -> left.put(article, unitsOf(article) - units));
		if (left.values().stream().anyMatch((units) -> units < 0)) {
			return false;
		}
		this.work.think();
		left.forEach(this::write);
		return true;
	}

	/**
	 * Set how many units of an article are in the warehouse.
	 * @param article the article
	 * @param units what was counted
	 */
	@DistributedLock(key = "'article:' + #article", waitTime = "10s", fenced = true)
	@Transactional
	public void stock(String article, int units) {
		write(article, units);
	}

	public int unitsOf(String article) {
		return this.jdbc.sql("SELECT units FROM warehouse WHERE article = ?")
			.param(article)
			.query(Integer.class)
			.optional()
			.orElse(0);
	}

	private void write(String article, int units) {
		this.jdbc.sql("MERGE INTO warehouse (article, units) KEY (article) VALUES (?, ?)")
			.params(article, units)
			.update();
	}

}
