package io.leasehold.sample.show;

import java.util.List;

import io.leasehold.sample.shop.Instance;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/**
 * Reports to the other instances that this one is alive and what its lock does.
 */
@Component
class Heartbeat {

	private final JdbcClient jdbc;

	private final Instance instance;

	private final LockWatch watch;

	Heartbeat(JdbcClient jdbc, Instance instance, LockWatch watch) {
		this.jdbc = jdbc;
		this.instance = instance;
		this.watch = watch;
	}

	@Scheduled(fixedDelay = 250)
	void beat() {
		this.jdbc
			.sql("MERGE INTO instance (name, process, waiting, holds, outcomes, seen) KEY (name)"
					+ " VALUES (?, ?, ?, ?, ?, CURRENT_TIMESTAMP)")
			.params(this.instance.name(), this.instance.process(), this.watch.waiting(), this.watch.holds(),
					this.watch.outcomes())
			.update();
	}

	/** Names of the instances that reported lately, in order. */
	List<String> alive() {
		return this.jdbc
			.sql("SELECT name FROM instance WHERE seen > DATEADD(SECOND, -2, CURRENT_TIMESTAMP) ORDER BY name")
			.query(String.class)
			.list();
	}

}
