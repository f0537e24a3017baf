package io.leasehold.engine.hazelcast;

import java.time.Duration;
import java.util.Collection;

import com.hazelcast.core.HazelcastInstance;
import io.leasehold.LockKey;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.server.HazelcastTestCluster;
import io.leasehold.test.contract.EngineAddress;
import io.leasehold.test.contract.Fault;
import io.leasehold.test.contract.SharedLockEngineContract;

/**
 * The contract, kept on Hazelcast: this process is a member, others are clients.
 */
@Fault(194)
class HazelcastLockEngineContractIntegrationTests extends SharedLockEngineContract {

	private final HazelcastInstance member = HazelcastTestCluster.shared();

	@Override
	protected EngineAddress address() {
		return HazelcastEngines.address(this.member);
	}

	@Override
	protected LockEngine connect(String namespace, Member member) {
		return HazelcastEngines.open(namespace, this.member, MonotonicClock.SYSTEM);
	}

	/** Pauses of a busy machine are shorter than the time between renewal and expiry. */
	@Override
	protected Duration shortLease() {
		return Duration.ofSeconds(3);
	}

	/** Each of them is several requests. */
	@Override
	protected int manyLocks() {
		return 500;
	}

	@Override
	protected void lose(String namespace, LockKey key) {
		HazelcastEngines.lose(this.member, namespace, key);
	}

	@Override
	protected Collection<String> residue(String namespace) {
		return HazelcastEngines.residue(this.member, namespace);
	}

}
