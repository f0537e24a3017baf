package io.leasehold.engine.redis;

import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;

import io.leasehold.engine.DisturbanceContract;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.Member;
import io.leasehold.server.FaultProxy;
import io.leasehold.server.RedisTestServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;

/**
 * Disturbances of a server with a replica. {@link RedisRefusalsIntegrationTests} has
 * those of its account.
 */
@Tag("full")
class RedisDisturbancesIntegrationTests extends DisturbanceContract {

	private final RedisTestServer master = RedisTestServer.start();

	private final RedisTestServer replica = RedisTestServer.start("replicaof 127.0.0.1 " + this.master.port());

	private final FaultProxy network = FaultProxy.to(this.master.port());

	private final RedisEngines operator = new RedisEngines(this.master.port());

	@AfterAll
	void stop() throws Exception {
		this.operator.close();
		this.network.close();
		this.replica.close();
		this.master.close();
	}

	@Override
	protected Stream<Disturbance> disturbances() {
		return Stream.of(new Disturbance("connections are balanced over master and replica", false, 20, (namespace) -> {
			this.network.redirect(this.replica.port(), this.master.port());
			this.network.reset();
		}, (namespace) -> {
			this.network.redirect(this.master.port());
			this.network.reset();
		}), new Disturbance("emptied", true, 20, this::empty, (namespace) -> {
		}));
	}

	@Override
	protected List<FaultProxy> networks() {
		return List.of(this.network);
	}

	@Override
	protected LockEngine open(String namespace, Member member, boolean disturbed) {
		return new RedisOpener().open(namespace, member,
				List.of("single", Integer.toString(disturbed ? this.network.port() : this.master.port())));
	}

	@Override
	protected void empty(String namespace) {
		this.operator.server().flushall();
	}

	@Override
	protected Collection<String> residue(String namespace) {
		return RedisOpener.residue(this.operator.server().keys("*"), namespace);
	}

}
