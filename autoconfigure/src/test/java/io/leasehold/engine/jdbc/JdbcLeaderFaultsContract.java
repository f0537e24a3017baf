package io.leasehold.engine.jdbc;

import java.util.List;

import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.leadership.LeaderFaultsContract;
import io.leasehold.leadership.ProxiedRoute;
import io.leasehold.leadership.Route;

import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

/**
 * Leaders that a database server elects while it or the network fails.
 */
abstract class JdbcLeaderFaultsContract extends LeaderFaultsContract {

	private final int port;

	private final DriverManagerDataSource operator;

	JdbcLeaderFaultsContract(String platform, int port) {
		this.port = port;
		this.operator = new DriverManagerDataSource(url(port));
		new ResourceDatabasePopulator(new ClassPathResource(LockTableScript.location(platform))).execute(this.operator);
	}

	/** URL of the database at a port, which may be that of a proxy. */
	abstract String url(int port);

	@Override
	protected Route connect(String namespace, Member member) {
		return new ProxiedRoute(List.of(this.port),
				(ports) -> JdbcLockEngineContract.open(namespace, url(ports.get(0)), MonotonicClock.SYSTEM));
	}

	@Override
	protected void empty(String namespace) {
		new JdbcTemplate(this.operator).update("DELETE FROM leasehold_lock WHERE namespace = ?", namespace);
	}

}
