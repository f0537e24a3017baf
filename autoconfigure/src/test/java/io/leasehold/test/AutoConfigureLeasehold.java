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
 * Gives a test locks in memory, in place of those in the application's stores, which are
 * not connected. For a {@code @SpringBootTest}, and for slices such as
 * {@code @DataJpaTest}, which have no locks without it.
 * <p>
 * Whatever engine a method names, its lock is taken on the
 * {@link io.leasehold.engine.local.LocalLockEngine}, which can be made to fail. A bean of
 * type {@link LockRecorder} records what was locked, and one of type {@link VirtualClock}
 * moves the time by which leases end. Before each test the record is cleared and the
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
