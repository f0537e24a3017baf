package io.leasehold.engine.memcached;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;

import io.leasehold.engine.DisturbanceContract;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.server.FaultProxy;
import io.leasehold.server.MemcachedTestServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;

/**
 * Disturbances of a memcached server. {@link MemcachedServersIntegrationTests} has those
 * of several servers.
 */
@Tag("full")
class MemcachedDisturbancesIntegrationTests extends DisturbanceContract {

	private final MemcachedTestServer server = MemcachedTestServer.start();

	private final FaultProxy network = FaultProxy.to(this.server.port());

	private final MemcachedConsole console = new MemcachedConsole(this.server.port());

	@AfterAll
	void stop() throws Exception {
		this.network.close();
		this.server.close();
	}

	@Override
	protected Stream<Disturbance> disturbances() {
		return Stream.of(
				new Disturbance("hangs", false, 3, (namespace) -> this.network.blackHole(),
						(namespace) -> this.network.heal()),
				new Disturbance("emptied", true, 20, this::empty, (namespace) -> {
				}));
	}

	@Override
	protected List<FaultProxy> networks() {
		return List.of(this.network);
	}

	@Override
	protected LockEngine open(String namespace, Member member, boolean disturbed) {
		return MemcachedEngines.open(namespace, disturbed ? "127.0.0.1:" + this.network.port() : this.server.address(),
				Duration.ofSeconds(1), MonotonicClock.SYSTEM);
	}

	@Override
	protected void empty(String namespace) {
		this.console.send("flush_all", "OK");
	}

	@Override
	protected Collection<String> residue(String namespace) {
		return this.console.residue(namespace);
	}

}
