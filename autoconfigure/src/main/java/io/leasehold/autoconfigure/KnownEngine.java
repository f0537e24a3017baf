package io.leasehold.autoconfigure;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import org.springframework.util.ClassUtils;

/**
 * Built-in engine, and the dependencies that it requires.
 */
enum KnownEngine {

	JDBC("org.springframework.boot:spring-boot-starter-jdbc and the driver of your database", "spring.datasource.*",
			"LeaseholdJdbcAutoConfiguration", "com.zaxxer.hikari.HikariDataSource",
			"org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails",
			"org.springframework.jdbc.core.JdbcOperations"),

	LOCAL("nothing", "leasehold.local.*", "LeaseholdLocalAutoConfiguration"),

	REDIS("org.springframework.boot:spring-boot-starter-data-redis", "spring.data.redis.*",
			"LeaseholdRedisAutoConfiguration", "io.lettuce.core.RedisClient|redis.clients.jedis.Jedis",
			"org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails",
			"org.springframework.data.redis.connection.RedisConnectionFactory"),

	ZOOKEEPER("org.apache.curator:curator-framework",
			"leasehold.zookeeper.connect-string or a bean of type CuratorFramework",
			"LeaseholdZooKeeperAutoConfiguration", "org.apache.curator.framework.CuratorFramework");

	private final String artifacts;

	private final String properties;

	private final String autoConfiguration;

	/** Required classes; one entry may list alternatives. */
	private final List<String> clientClasses;

	KnownEngine(String artifacts, String properties, String autoConfiguration, String... clientClasses) {
		this.artifacts = artifacts;
		this.properties = properties;
		this.autoConfiguration = autoConfiguration;
		this.clientClasses = List.of(clientClasses);
	}

	String engineName() {
		return name().toLowerCase(Locale.ROOT);
	}

	String artifacts() {
		return this.artifacts;
	}

	String properties() {
		return this.properties;
	}

	String autoConfiguration() {
		return this.autoConfiguration;
	}

	boolean hasClient(@Nullable ClassLoader classLoader) {
		return this.clientClasses.stream()
			.map((names) -> names.split("\\|"))
			.allMatch((names) -> Arrays.stream(names).anyMatch((name) -> ClassUtils.isPresent(name, classLoader)));
	}

	static Optional<KnownEngine> of(String name) {
		return Arrays.stream(values()).filter((engine) -> engine.engineName().equals(name)).findFirst();
	}

}
