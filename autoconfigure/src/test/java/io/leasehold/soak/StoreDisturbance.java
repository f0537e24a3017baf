package io.leasehold.soak;

import java.util.Random;

/**
 * What happens to a store of a soak, for a while.
 */
enum StoreDisturbance {

	/** The members of the cluster lose each other. */
	HAZELCAST_SPLIT {
		@Override
		void strike(Stores stores, Random random) throws Exception {
			stores.hazelcast().split(random);
		}
	},

	/** One of the servers is stopped, and started empty. */
	MEMCACHED_RESTART {
		@Override
		void strike(Stores stores, Random random) throws Exception {
			stores.memcached().restart(random);
		}
	},

	/** One of the members does nothing, and is reached by a part of the connections. */
	ETCD_MEMBER_STOP {
		@Override
		void strike(Stores stores, Random random) throws Exception {
			stores.etcd().stopMember(random);
		}
	},

	/** Connections of the account are closed, and new ones are rejected. */
	REDIS_PASSWORD {
		@Override
		void strike(Stores stores, Random random) throws Exception {
			stores.redisAccount().revoke(random);
		}
	},

	REDLOCK_PASSWORD {
		@Override
		void strike(Stores stores, Random random) throws Exception {
			stores.redlockAccount().revoke(random);
		}
	},

	POSTGRES_PASSWORD {
		@Override
		void strike(Stores stores, Random random) throws Exception {
			stores.postgresAccount().revoke(random);
		}
	},

	/** All tokens end, and nobody gets a new one. */
	ETCD_PASSWORD {
		@Override
		void strike(Stores stores, Random random) throws Exception {
			stores.etcd().account().revoke(random);
		}
	};

	abstract void strike(Stores stores, Random random) throws Exception;

}
