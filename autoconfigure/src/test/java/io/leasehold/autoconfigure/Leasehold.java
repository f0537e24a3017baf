package io.leasehold.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.util.ClassUtils;

/**
 * Application contexts with all auto-configurations that the library registers.
 */
public final class Leasehold {

	private static final Duration CALL = Duration.ofSeconds(15);

	/** Processes that wait poll twice in this time. */
	private static final Duration REDIS_CALL = Duration.ofSeconds(8);

	private Leasehold() {
	}

	/**
	 * Return properties of applications whose healthy stores may be slow: no pause of a
	 * busy machine outlasts a call or a lease.
	 */
	public static String[] patient() {
		return Stream
			.of("lease=1m", "redis.command-timeout=" + REDIS_CALL, "redis.min-validity=" + REDIS_CALL,
					"redis.silence-timeout=" + REDIS_CALL, "redis.poll-interval=" + REDIS_CALL.dividedBy(2),
					"redis.grant-lease=" + REDIS_CALL.multipliedBy(4), "jdbc.call-timeout=" + CALL,
					"zookeeper.call-timeout=" + CALL, "etcd.call-timeout=" + CALL, "hazelcast.call-timeout=" + CALL,
					"memcached.call-timeout=" + CALL, "redlock.command-timeout=" + CALL)
			.map((property) -> "leasehold." + property)
			.toArray(String[]::new);
	}

	public static ApplicationContextRunner runner() {
		return new ApplicationContextRunner().withConfiguration(autoConfigurations());
	}

	public static AutoConfigurations autoConfigurations() {
		List<Class<?>> registered = ImportCandidates.load(AutoConfiguration.class, null)
			.getCandidates()
			.stream()
			.filter((name) -> name.startsWith("io.leasehold."))
			.<Class<?>>map((name) -> ClassUtils.resolveClassName(name, null))
			.toList();
		return AutoConfigurations.of(registered.toArray(Class<?>[]::new));
	}

}
