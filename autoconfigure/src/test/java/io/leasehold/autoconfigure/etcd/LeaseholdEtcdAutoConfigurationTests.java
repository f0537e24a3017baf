package io.leasehold.autoconfigure.etcd;

import java.util.ArrayList;
import java.util.List;

import io.grpc.ManagedChannelProvider;
import io.grpc.ManagedChannelRegistry;
import io.leasehold.DistributedLocks;
import io.leasehold.LockEngineException;
import io.leasehold.autoconfigure.Leasehold;
import io.leasehold.autoconfigure.LeaseholdProperties;
import io.leasehold.autoconfigure.LockEngineConfigurationException;
import io.leasehold.autoconfigure.StubEngine;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.etcd.EtcdLockEngine;
import io.leasehold.engine.etcd.EtcdSettings;
import io.leasehold.service.LockService;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.ssl.NoSuchSslBundleException;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

class LeaseholdEtcdAutoConfigurationTests {

	private final ApplicationContextRunner runner = Leasehold.runner()
		.withConfiguration(AutoConfigurations.of(SslAutoConfiguration.class))
		.withPropertyValues("leasehold.etcd.call-timeout=5s");

	private final ApplicationContextRunner configured = this.runner
		.withPropertyValues("leasehold.etcd.endpoints=http://127.0.0.1:1");

	@Test
	void onlyConfiguredEngineIsChosen() {
		this.configured.run((context) -> assertThat(context).getBean(LockService.class)
			.extracting((service) -> service.defaults().engine())
			.isEqualTo("etcd"));
	}

	@Test
	void contextStartsWithoutAServer() {
		// The first connection of a JVM on a busy machine may not even be refused in time
		this.configured.run((context) -> assertThat(unreachable(context))
			.contains("etcd could not acquire lock 'order:42': http://127.0.0.1:1 did not respond"));
	}

	@Test
	void endpointsMayBeAList() {
		this.runner
			.withPropertyValues("leasehold.etcd.endpoints[0]=http://127.0.0.1:1",
					"leasehold.etcd.endpoints[1]=http://127.0.0.1:2")
			.run((context) -> {
				assertThat(context).hasSingleBean(EtcdLockEngine.class);
				assertThat(context.getBean(EtcdConnectionDetails.class).getEndpoints())
					.containsExactly("http://127.0.0.1:1", "http://127.0.0.1:2");
			});
	}

	@Test
	void connectionDetailsReplaceTheProperties() {
		this.configured.withBean("details", EtcdConnectionDetails.class, () -> () -> List.of("http://127.0.0.1:2"))
			.run((context) -> assertThat(unreachable(context)).contains("http://127.0.0.1:2 did not respond"));
	}

	@Test
	void connectionDetailsAloneConfigureTheEngine() {
		this.runner.withBean("details", EtcdConnectionDetails.class, () -> () -> List.of("http://127.0.0.1:2"))
			.run((context) -> assertThat(context).hasSingleBean(EtcdLockEngine.class));
	}

	@ParameterizedTest
	@ValueSource(strings = { "etcd1:2379", "ftp://etcd1:2379", "http://", "http://etcd 1:2379", "/etcd" })
	void malformedEndpointFailsStartup(String endpoint) {
		this.runner.withPropertyValues("leasehold.etcd.endpoints=" + endpoint)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(LockEngineConfigurationException.class)
				.hasMessageContaining("leasehold.etcd.endpoints ('%s')".formatted(endpoint)));
	}

	@Test
	void missingEndpointsFailStartup() {
		this.runner.withPropertyValues("leasehold.engine=etcd")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(LockEngineConfigurationException.class)
				.hasMessageContaining("the client of that engine is not configured")
				.hasMessageContaining("leasehold.etcd.endpoints"));
	}

	@Test
	void missingClientIsNamed() {
		this.configured.withClassLoader(new FilteredClassLoader("io.grpc"))
			.withPropertyValues("leasehold.engine=etcd")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(LockEngineConfigurationException.class)
				.hasMessageContaining(
						"leasehold.engine is 'etcd', but the client of that engine is not on the classpath"));
	}

	/** gRPC itself, without one of its transports. */
	@Test
	void missingTransportIsNamed() {
		ManagedChannelRegistry transports = ManagedChannelRegistry.getDefaultRegistry();
		List<ManagedChannelProvider> present = new ArrayList<>();
		try {
			while (hasTransport()) {
				present.add(ManagedChannelProvider.provider());
				transports.deregister(ManagedChannelProvider.provider());
			}
			this.configured.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(LockEngineConfigurationException.class)
				.hasMessageContaining("The etcd engine has no transport of gRPC")
				.hasMessageContaining("Add io.grpc:grpc-netty-shaded"));
		}
		finally {
			present.forEach(transports::register);
		}
	}

	private static boolean hasTransport() {
		try {
			return ManagedChannelProvider.provider() != null;
		}
		catch (ManagedChannelProvider.ProviderNotFoundException ex) {
			return false;
		}
	}

	@Test
	void unknownBundleFailsStartup() {
		this.configured.withPropertyValues("leasehold.etcd.ssl.bundle=none")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(NoSuchSslBundleException.class)
				.hasMessageContaining("none"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "call-timeout=0s", "poll-interval=0s", "session-timeout=1s" })
	void valuesThatCannotWorkFailStartup(String property) {
		this.configured.withPropertyValues("leasehold.etcd." + property)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(LockEngineConfigurationException.class)
				.hasMessageContaining("leasehold.etcd." + property.substring(0, property.indexOf('='))));
	}

	@Test
	void sessionOutlivesTheLeaseByAThird() {
		this.configured.withPropertyValues("leasehold.lease=15s").run((context) -> {
			EtcdSettings settings = context.getBean(EtcdProperties.class)
				.toSettings(context.getBean(LeaseholdProperties.class));
			assertThat(settings.sessionTimeout()).hasSeconds(20);
		});
	}

	@Test
	void leftOutWhenNothingAsksForIt() {
		this.runner.withBean("stub", LockEngine.class, () -> new StubEngine("stub"))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(EtcdLockEngine.class));
	}

	@Test
	void leftOutWhenAnotherEngineIsNamed() {
		this.configured.withPropertyValues("leasehold.engine=local")
			.run((context) -> assertThat(context).doesNotHaveBean(EtcdLockEngine.class));
	}

	@Test
	void keptBesideAnotherEngine() {
		this.configured.withPropertyValues("leasehold.engine=local", "leasehold.etcd.enabled=true")
			.run((context) -> assertThat(context).hasSingleBean(EtcdLockEngine.class));
	}

	private static String unreachable(AssertableApplicationContext context) {
		DistributedLocks locks = context.getBean(DistributedLocks.class);
		return catchThrowableOfType(LockEngineException.class, () -> locks.tryAcquire("order:42")).getMessage();
	}

}
