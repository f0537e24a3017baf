package io.leasehold.benchmark.contender;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

import io.leasehold.DistributedLocks;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

/**
 * Leasehold as an application has it, through auto-configuration.
 */
final class LeaseholdContender implements Contender {

	private final ConfigurableApplicationContext context;

	private final DistributedLocks locks;

	/**
	 * Start an application.
	 * @param properties the store, and what is not as by default
	 * @param clients the application's client of the store, if the engine uses that
	 */
	LeaseholdContender(Map<String, Object> properties, Object... clients) {
		this.context = new SpringApplicationBuilder(Application.class).web(WebApplicationType.NONE)
			.initializers((context) -> Arrays.stream(clients)
				.forEach((client) -> context.getBeanFactory().registerSingleton("client", client)))
			.properties(Map.of("spring.main.banner-mode", "off", "leasehold.lease", Leases.LEASE.toString(),
					"leasehold.wait-time", "1h"))
			.properties(properties)
			.run();
		this.locks = this.context.getBean(DistributedLocks.class);
	}

	/** Start an application that has the drivers of databases, but no database. */
	static LeaseholdContender withoutDatabase(String engine, Map<String, Object> properties, Object... clients) {
		Map<String, Object> all = new HashMap<>(properties);
		all.put("leasehold.engine", engine);
		all.put("spring.autoconfigure.exclude",
				"org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration");
		return new LeaseholdContender(all, clients);
	}

	@Override
	public Held acquire(String key) {
		return this.locks.acquire(key)::close;
	}

	@Override
	public void close() {
		this.context.close();
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

	}

}
