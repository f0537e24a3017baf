package io.leasehold.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.test.context.TestPropertySource;

/**
 * Test annotation that replaces the locks in the application's stores by locks in memory;
 * no store is connected. For a {@code @SpringBootTest}, and for slices such as
 * {@code @DataJpaTest}, which have no locks without it.
 * <p>
 * All locks are acquired on the {@link io.leasehold.engine.local.LocalLockEngine},
 * regardless of the engine that a method names. Tests can make that engine fail. A bean
 * of type {@link LockRecorder} records the locks, and one of type {@link VirtualClock}
 * moves the clock by which leases expire. Before each test the record is cleared and the
 * faults are switched off.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@ImportAutoConfiguration
@TestPropertySource(properties = { "leasehold.enabled=true", "leasehold.engine=local", "leasehold.etcd.enabled=false",
		"leasehold.hazelcast.enabled=false", "leasehold.jdbc.enabled=false", "leasehold.memcached.enabled=false",
		"leasehold.redis.enabled=false", "leasehold.redlock.enabled=false", "leasehold.zookeeper.enabled=false" })
public @interface AutoConfigureLeasehold {

}
