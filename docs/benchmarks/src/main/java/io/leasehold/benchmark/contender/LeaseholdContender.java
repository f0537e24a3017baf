package io.leasehold.benchmark.contender;

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
	 */
	LeaseholdContender(Map<String, Object> properties) {
		this.context = new SpringApplicationBuilder(Application.class).web(WebApplicationType.NONE)
			.properties(Map.of("spring.main.banner-mode", "off", "leasehold.lease", Leases.LEASE.toString(),
					"leasehold.wait-time", "1h"))
			.properties(properties)
			.run();
		this.locks = this.context.getBean(DistributedLocks.class);
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
