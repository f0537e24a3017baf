package io.leasehold.engine.memcached;

import java.time.Duration;
import java.util.Collection;

import io.leasehold.LockKey;
import io.leasehold.server.MemcachedTestServer;
import io.leasehold.test.contract.EngineAddress;
import io.leasehold.test.contract.Fault;
import io.leasehold.test.contract.SharedLockEngineContract;

/**
 * The contract, kept on memcached.
 */
@Fault(194)
class MemcachedLockEngineContractIntegrationTests extends SharedLockEngineContract {

	private final MemcachedTestServer server = MemcachedTestServer.shared();

	private final MemcachedConsole console = new MemcachedConsole(this.server.port());

	@Override
	protected EngineAddress address() {
		return MemcachedEngines.address(this.server.address());
	}

	/** Pauses of a busy machine are shorter than the time between renewal and expiry. */
	@Override
	protected Duration shortLease() {
		return Duration.ofSeconds(3);
	}

	/** It counts whole seconds, and three are added because its clock may be early. */
	@Override
	protected Duration lateExpiry() {
		return Duration.ofSeconds(4);
	}

	/** Each of them is two requests. */
	@Override
	protected int manyLocks() {
		return 1000;
	}

	@Override
	protected void lose(String namespace, LockKey key) {
		this.console.delete(MemcachedEngines.entry(namespace, key));
	}

	@Override
	protected Collection<String> residue(String namespace) {
		return this.console.residue(namespace);
	}

}
