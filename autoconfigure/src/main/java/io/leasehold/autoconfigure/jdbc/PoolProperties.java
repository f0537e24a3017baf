package io.leasehold.autoconfigure.jdbc;

import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;

/**
 * Properties of connection pools other than HikariCP that decide where a connection
 * leads, or how. The engine cannot read them from the pools.
 */
final class PoolProperties {

	private static final List<String> PREFIXES = List.of("spring.datasource.dbcp2", "spring.datasource.oracleucp",
			"spring.datasource.tomcat", "spring.datasource.xa");

	/** Words in the names of those properties, without hyphens. */
	private static final Pattern DECISIVE = Pattern.compile("(?i)initsql|catalog|schema|datasource|jndi|"
			+ "connection(factory|properties)|dbproperties|xa\\.properties|url|driver|user|password|interceptor|"
			+ "servername|portnumber|databasename|servicename|networkprotocol|rolename|onsconfig");

	private PoolProperties() {
	}

	/** Return the names of those that are set. */
	static List<String> find(Environment environment) {
		return PREFIXES.stream()
			.flatMap((prefix) -> names(environment, prefix))
			.filter((name) -> DECISIVE.matcher(name.substring("spring.datasource.".length()).replace("-", "")).find())
			.sorted()
			.toList();
	}

	private static Stream<String> names(Environment environment, String prefix) {
		return Binder.get(environment)
			.bind(prefix, Bindable.mapOf(String.class, String.class))
			.orElse(Map.of())
			.keySet()
			.stream()
			.map((name) -> prefix + "." + name);
	}

}
