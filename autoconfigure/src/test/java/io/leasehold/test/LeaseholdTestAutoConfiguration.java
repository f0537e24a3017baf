package io.leasehold.test;

import io.leasehold.autoconfigure.LeaseholdAutoConfiguration;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.etcd.EtcdLockEngine;
import io.leasehold.engine.hazelcast.HazelcastStore;
import io.leasehold.engine.jdbc.JdbcLockEngine;
import io.leasehold.engine.local.LocalLockEngine;
import io.leasehold.engine.memcached.MemcachedStore;
import io.leasehold.engine.redis.RedisLockEngine;
import io.leasehold.engine.redlock.RedlockLockEngine;
import io.leasehold.engine.zookeeper.ZooKeeperLockEngine;
import org.aopalliance.intercept.MethodInterceptor;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration for {@link AutoConfigureLeasehold}.
 */
@AutoConfiguration(before = LeaseholdAutoConfiguration.class)
final class LeaseholdTestAutoConfiguration {

	@Bean
	LockRecorder leaseholdLockRecorder() {
		return new LockRecorder();
	}

	@Bean
	@ConditionalOnMissingBean(MonotonicClock.class)
	VirtualClock leaseholdVirtualClock() {
		return new VirtualClock();
	}

	@Bean
	LockEngine leaseholdLocalEtcdLockEngine(LocalLockEngine engine) {
		return named(EtcdLockEngine.NAME, engine);
	}

	@Bean
	LockEngine leaseholdLocalHazelcastLockEngine(LocalLockEngine engine) {
		return named(HazelcastStore.NAME, engine);
	}

	@Bean
	LockEngine leaseholdLocalJdbcLockEngine(LocalLockEngine engine) {
		return named(JdbcLockEngine.NAME, engine);
	}

	@Bean
	LockEngine leaseholdLocalMemcachedLockEngine(LocalLockEngine engine) {
		return named(MemcachedStore.NAME, engine);
	}

	@Bean
	LockEngine leaseholdLocalRedisLockEngine(LocalLockEngine engine) {
		return named(RedisLockEngine.NAME, engine);
	}

	@Bean
	LockEngine leaseholdLocalRedlockLockEngine(LocalLockEngine engine) {
		return named(RedlockLockEngine.NAME, engine);
	}

	@Bean
	LockEngine leaseholdLocalZooKeeperLockEngine(LocalLockEngine engine) {
		return named(ZooKeeperLockEngine.NAME, engine);
	}

	/** Return the local engine under the name of another engine. */
	private static LockEngine named(String name, LockEngine engine) {
		ProxyFactory proxy = new ProxyFactory(LockEngine.class,
				(MethodInterceptor) (call) -> call.getMethod().getName().equals("name") ? name : call.proceed());
		proxy.setTarget(engine);
		return (LockEngine) proxy.getProxy();
	}

}
