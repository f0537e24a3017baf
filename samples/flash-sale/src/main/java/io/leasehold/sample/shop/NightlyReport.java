package io.leasehold.sample.shop;

import io.leasehold.annotation.DistributedLock;
import io.leasehold.annotation.WhenBusy;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/**
 * A job that every instance starts at the same time and one of them runs. The min hold
 * keeps an instance whose clock is slow from running it again.
 */
@Component
public class NightlyReport {

	private final JdbcClient jdbc;

	private final Instance instance;

	public NightlyReport(JdbcClient jdbc, Instance instance) {
		this.jdbc = jdbc;
		this.instance = instance;
	}

	@Scheduled(cron = "${shop.report.cron}")
	@DistributedLock(key = "'nightly-report'", waitTime = "0s", minHold = "5s", whenBusy = WhenBusy.SKIP)
	public void run() {
		this.jdbc.sql("INSERT INTO report (instance, units) SELECT ?, COUNT(*) FROM purchase")
			.param(this.instance.name())
			.update();
	}

}
