package io.leasehold.sample.show;

import java.util.List;
import java.util.OptionalLong;

import io.leasehold.leadership.Leadership;
import io.leasehold.sample.shop.Instance;
import org.jspecify.annotations.Nullable;

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

	private final Leadership leadership;

	Heartbeat(JdbcClient jdbc, Instance instance, LockWatch watch, Leadership leadership) {
		this.jdbc = jdbc;
		this.instance = instance;
		this.watch = watch;
		this.leadership = leadership;
	}

	@Scheduled(fixedDelay = 250)
	void beat() {
		this.jdbc
			.sql("MERGE INTO instance (name, process, waiting, holds, outcomes, term, seen) KEY (name)"
					+ " VALUES (?, ?, ?, ?, ?, ?, CURRENT_TIMESTAMP)")
			.params(this.instance.name(), this.instance.process(), this.watch.waiting(), this.watch.holds(),
					this.watch.outcomes(), term())
			.update();
	}

	private @Nullable Long term() {
		OptionalLong term = this.leadership.term();
		return term.isPresent() ? term.getAsLong() : null;
	}

	/** Names of the instances that reported lately, in order. */
	List<String> alive() {
		return this.jdbc
			.sql("SELECT name FROM instance WHERE seen > DATEADD(SECOND, -2, CURRENT_TIMESTAMP) ORDER BY name")
			.query(String.class)
			.list();
	}

}
