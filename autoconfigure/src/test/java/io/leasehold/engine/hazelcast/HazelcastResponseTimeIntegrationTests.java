package io.leasehold.engine.hazelcast;

import java.time.Duration;

import io.leasehold.engine.LockEngine;
import io.leasehold.engine.Member;
import io.leasehold.engine.cas.CompareAndSetStore;
import io.leasehold.server.HazelcastTestCluster;
import io.leasehold.test.contract.ResponseTimeContract;
import io.leasehold.test.contract.MovingClock;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;

/**
 * The contract of late responses, kept on Hazelcast.
 */
@Tag("full")
class HazelcastResponseTimeIntegrationTests extends ResponseTimeContract {

	@Override
	protected LockEngine connect(String namespace, Member member, MovingClock clock) {
		CompareAndSetStore store = HazelcastEngines.store(HazelcastTestCluster.shared());
		return HazelcastEngines.open(namespace, new Slow(store, clock), clock);
	}

	private record Slow(CompareAndSetStore store, MovingClock clock) implements CompareAndSetStore {

		@Override
		public @Nullable Entry read(String key) throws Exception {
			Entry entry = this.store.read(key);
			this.clock.responded();
			return entry;
		}

		@Override
		public boolean create(String key, String value, Duration timeToLive) throws Exception {
			boolean created = this.store.create(key, value, timeToLive);
			this.clock.responded();
			return created;
		}

		@Override
		public boolean replace(String key, Entry expected, String value, Duration timeToLive) throws Exception {
			boolean replaced = this.store.replace(key, expected, value, timeToLive);
			this.clock.responded();
			return replaced;
		}

	}

}
