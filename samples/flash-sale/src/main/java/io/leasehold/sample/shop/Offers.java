package io.leasehold.sample.shop;

import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

import io.leasehold.HeldLock;
import io.leasehold.annotation.LeaderOnly;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;

/**
 * Announces an offer each second, on the instance that leads. Fenced: a leader that was
 * paused past its term cannot replace the offer of its successor when it continues.
 */
@Component
public class Offers {

	private static final List<String> ARTICLES = List.of("cups", "pots", "teas", "kettles", "spoons");

	private final JdbcClient jdbc;

	private final Instance instance;

	public Offers(JdbcClient jdbc, Instance instance) {
		this.jdbc = jdbc;
		this.instance = instance;
	}

	@Scheduled(fixedDelay = 1000)
	@LeaderOnly(value = "offers", fenced = true)
	@Transactional
	public void announce() {
		this.jdbc.sql("MERGE INTO offer (id, term, instance, article) KEY (id) VALUES (1, ?, ?, ?)")
			.params(HeldLock.current().fencingToken(), this.instance.name(),
					ARTICLES.get(ThreadLocalRandom.current().nextInt(ARTICLES.size())))
			.update();
	}

}
