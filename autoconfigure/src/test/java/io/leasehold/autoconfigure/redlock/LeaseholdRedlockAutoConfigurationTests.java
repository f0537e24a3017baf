package io.leasehold.autoconfigure.redlock;

import java.util.List;

import io.leasehold.DistributedLocks;
import io.leasehold.LockEngineException;
import io.leasehold.autoconfigure.Leasehold;
import io.leasehold.autoconfigure.LockEngineConfigurationException;
import io.leasehold.autoconfigure.StubEngine;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.redlock.RedlockLockEngine;
import io.leasehold.service.LockService;
import io.leasehold.test.contract.Fault;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.test.util.ReflectionTestUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

@ExtendWith(OutputCaptureExtension.class)
class LeaseholdRedlockAutoConfigurationTests {

	private static final String NODES = "leasehold.redlock.nodes=localhost:1,localhost:2,localhost:3";

	private final ApplicationContextRunner bare = Leasehold.runner()
		.withConfiguration(AutoConfigurations.of(SslAutoConfiguration.class));

	private final ApplicationContextRunner runner = this.bare.withPropertyValues(NODES);

	@Test
	void onlyConfiguredClientIsChosen() {
		this.runner.run((context) -> assertThat(context).getBean(LockService.class)
			.extracting((service) -> service.defaults().engine())
			.isEqualTo("redlock"));
	}

	@Test
	void contextStartsWithoutAServerAndNamesTheMasters(CapturedOutput output) {
		this.runner.run((context) -> {
			DistributedLocks locks = context.getBean(DistributedLocks.class);
			assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> locks.tryAcquire("order:42"))
				.withMessageContaining("Redlock could not acquire lock 'order:42': only 0 of 3 masters responded");
			assertThat(output).contains("Redis master localhost:2 is not available to Redlock");
		});
	}

	@Test
	void nodesMayBeAList() {
		this.bare
			.withPropertyValues("leasehold.redlock.nodes[0]=localhost:1", "leasehold.redlock.nodes[1]=localhost:2",
					"leasehold.redlock.nodes[2]=[::1]:65535")
			.run((context) -> assertThat(context).hasSingleBean(RedlockLockEngine.class));
	}

	@Test
	void connectionDetailsOfTheApplicationAreUsed() {
		this.bare
			.withBean(RedlockConnectionDetails.class, () -> () -> List.of("localhost:1", "localhost:2", "localhost:3"))
			.run((context) -> assertThat(context).hasSingleBean(RedlockLockEngine.class));
	}

	@Test
	void leftOutWithoutNodes() {
		this.bare.withBean("stub", LockEngine.class, () -> new StubEngine("stub"))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(RedlockLockEngine.class));
	}

	@Test
	void leftOutWhenAnotherEngineIsNamed() {
		this.runner.withPropertyValues("leasehold.engine=local")
			.run((context) -> assertThat(context).doesNotHaveBean(RedlockLockEngine.class));
	}

	@Test
	void ownEngineWins() {
		this.runner.run((context) -> {
			RedlockLockEngine own = context.getBean(RedlockLockEngine.class);
			this.runner.withBean("own", RedlockLockEngine.class, () -> own)
				.run((other) -> assertThat(other).getBean(LockEngine.class).isSameAs(own));
		});
	}

	@Test
	void passwordInAnAddressIsRefusedAndNotNamed() {
		this.runner.withPropertyValues("leasehold.redlock.nodes=a:1,b:2,user:s3cret@c:3")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(LockEngineConfigurationException.class)
				.hasMessageContaining("contains '@'")
				.hasMessageNotContaining("s3cret"));
	}

	@Test
	void onlyLettuceIsNeeded() {
		this.runner.withClassLoader(new FilteredClassLoader("redis.clients", "org.springframework.data.redis"))
			.run((context) -> assertThat(context).hasSingleBean(RedlockLockEngine.class));
	}

	@Test
	void missingClientFailsStartup() {
		this.runner.withClassLoader(new FilteredClassLoader("io.lettuce"))
			.withPropertyValues("leasehold.engine=redlock")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(LockEngineConfigurationException.class)
				.hasMessageContaining("the client of that engine is not on the classpath"));
	}

	@Test
	void missingNodesFailStartup() {
		this.bare.withPropertyValues("leasehold.engine=redlock")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(LockEngineConfigurationException.class)
				.hasMessageContaining(
						"leasehold.engine is 'redlock', but the client of that engine is not configured"));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					nodes=a:1,b:2           | leasehold.redlock.nodes must name 3, 5 or another odd number of masters, but names 2
					nodes=a:1,b:2,c:3,d:4   | leasehold.redlock.nodes must name 3, 5 or another odd number of masters, but names 4
					nodes=a:1,b:2,a:1       | leasehold.redlock.nodes must name different masters
					nodes=a:1,b:2,c         | The address 'c' in leasehold.redlock.nodes is not a host and a port
					nodes=a:1,b:2,c:0       | The address 'c:0' in leasehold.redlock.nodes is not a host and a port
					nodes=a:1,b:2,c:65536   | The address 'c:65536' in leasehold.redlock.nodes is not a host and a port
					nodes=a:1,b:2,:3        | The address ':3' in leasehold.redlock.nodes is not a host and a port
					restart-delay=999ms     | leasehold.redlock.restart-delay (PT0.999S) must be 0 or at least PT1S
					""")
	void invalidValuesFailStartup(String property, String message) {
		this.runner.withPropertyValues("leasehold.redlock." + property)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.satisfies((failure) -> assertThat(failure.toString()).contains(message)));
	}

	/** A lease of less than two command timeouts fails startup. */
	@Fault(value = 78, engine = "redlock")
	@Test
	void leaseMustBeLongEnoughForTheCommandTimeout() {
		this.runner.withPropertyValues("leasehold.lease=3s", "leasehold.redlock.command-timeout=1600ms")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasFieldOrPropertyWithValue("name", "leasehold.lease"));
	}

}
