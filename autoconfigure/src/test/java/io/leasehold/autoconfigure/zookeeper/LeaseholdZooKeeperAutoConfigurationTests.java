package io.leasehold.autoconfigure.zookeeper;

import io.leasehold.DistributedLocks;
import io.leasehold.LockEngineException;
import io.leasehold.autoconfigure.Leasehold;
import io.leasehold.autoconfigure.LeaseholdProperties;
import io.leasehold.autoconfigure.LockEngineConfigurationException;
import io.leasehold.autoconfigure.StubEngine;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.zookeeper.ZooKeeperLockEngine;
import io.leasehold.service.LockService;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryForever;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

class LeaseholdZooKeeperAutoConfigurationTests {

	private final ApplicationContextRunner runner = Leasehold.runner()
		.withPropertyValues("leasehold.zookeeper.call-timeout=100ms");

	private final ApplicationContextRunner configured = this.runner
		.withPropertyValues("leasehold.zookeeper.connect-string=127.0.0.1:1");

	@Test
	void onlyConfiguredClientIsChosen() {
		this.configured.run((context) -> assertThat(context).getBean(LockService.class)
			.extracting((service) -> service.defaults().engine())
			.isEqualTo("zookeeper"));
	}

	@Test
	void contextStartsWithoutAServer() {
		this.configured.run((context) -> {
			DistributedLocks locks = context.getBean(DistributedLocks.class);
			assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> locks.tryAcquire("order:42"))
				.withMessageContaining(
						"ZooKeeper could not acquire lock 'order:42': no connection to '127.0.0.1:1' within the call "
								+ "timeout: check the address, and that more than half of the ensemble is up");
		});
	}

	@Test
	void clientOfTheApplicationIsUsed() {
		this.runner.withBean("own", CuratorFramework.class, () -> client("own:1"))
			.run((context) -> assertThat(unreachable(context)).contains("no connection to 'own:1'"));
	}

	@Test
	void connectionOfTheirOwnIsPreferredForLocks() {
		this.configured.withBean("own", CuratorFramework.class, () -> client("own:1"))
			.run((context) -> assertThat(unreachable(context)).contains("no connection to '127.0.0.1:1'"));
	}

	@Test
	void connectionDetailsReplaceTheProperty() {
		this.configured
			.withBean("details", ZooKeeperConnectionDetails.class, () -> (ZooKeeperConnectionDetails) () -> "details:1")
			.run((context) -> assertThat(unreachable(context)).contains("no connection to 'details:1'"));
	}

	@Test
	void connectionDetailsAloneConfigureTheEngine() {
		this.runner
			.withBean("details", ZooKeeperConnectionDetails.class, () -> (ZooKeeperConnectionDetails) () -> "details:1")
			.run((context) -> assertThat(context).hasSingleBean(ZooKeeperLockEngine.class)
				.doesNotHaveBean(CuratorFramework.class));
	}

	@Test
	void primaryClientOfTheApplicationIsUsed() {
		this.runner.withBean("one", CuratorFramework.class, () -> client("one:1"))
			.withBean("other", CuratorFramework.class, () -> client("other:1"),
					(definition) -> definition.setPrimary(true))
			.run((context) -> assertThat(unreachable(context)).contains("no connection to 'other:1'"));
	}

	@Test
	void severalClientsOfTheApplicationStopTheStart() {
		this.runner.withBean("one", CuratorFramework.class, () -> client("one:1"))
			.withBean("other", CuratorFramework.class, () -> client("other:1"))
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(LockEngineConfigurationException.class)
				.hasMessage(
						"There are several CuratorFramework beans, and none of them is primary: [one, other]. The one "
								+ "for locks is unknown. Mark one of them as @Primary, or configure a separate session in "
								+ "leasehold.zookeeper.connect-string."));
	}

	@Test
	void clientOfTheApplicationThatIsNotStartedIsReported() {
		this.runner
			.withBean("own", CuratorFramework.class,
					() -> CuratorFrameworkFactory.newClient("127.0.0.1:1", new RetryForever(100)))
			.run((context) -> assertThat(unreachable(context))
				.contains("the CuratorFramework client is LATENT: start it"));
	}

	@ParameterizedTest
	@ValueSource(strings = { ",", "zk1:port", "zk1:2181/app/" })
	void malformedConnectStringStopsTheStart(String connectString) {
		this.runner
			.withPropertyValues("leasehold.engine=zookeeper", "leasehold.zookeeper.connect-string=" + connectString)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(LockEngineConfigurationException.class)
				.hasMessageContaining("'%s', names no servers".formatted(connectString))
				.hasMessageContaining("leasehold.zookeeper.connect-string"));
	}

	@Test
	void sessionOutlivesTheLeaseByAThird() {
		this.configured.withPropertyValues("leasehold.lease=15s")
			.run((context) -> assertThat(context.getBean(ZooKeeperProperties.class)
				.sessionTimeout(context.getBean(LeaseholdProperties.class))).hasSeconds(20));
	}

	@Test
	void leftOutWhenNothingAsksForIt() {
		this.runner.withBean("stub", LockEngine.class, () -> new StubEngine("stub"))
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean(ZooKeeperLockEngine.class)
				.doesNotHaveBean(CuratorFramework.class));
	}

	@Test
	void leftOutWhenAnotherEngineIsNamed() {
		this.configured.withPropertyValues("leasehold.engine=local")
			.run((context) -> assertThat(context).doesNotHaveBean(ZooKeeperLockEngine.class)
				.doesNotHaveBean(CuratorFramework.class));
	}

	@Test
	void keptBesideAnotherEngine() {
		this.configured.withPropertyValues("leasehold.engine=local", "leasehold.zookeeper.enabled=true")
			.run((context) -> assertThat(context).hasSingleBean(ZooKeeperLockEngine.class));
	}

	@Test
	void leftOutWithoutItsClient() {
		this.configured.withClassLoader(new FilteredClassLoader("org.apache.curator"))
			.withBean("stub", LockEngine.class, () -> new StubEngine("stub"))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(ZooKeeperLockEngine.class));
	}

	@Test
	void clientThatIsNotConfiguredIsExplained() {
		this.runner.withPropertyValues("leasehold.engine=zookeeper")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(LockEngineConfigurationException.class)
				.hasMessageContaining("the client of that engine is not configured"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "base-path=leasehold", "base-path=/leasehold/", "base-path=/", "call-timeout=0s",
			"poll-interval=0s", "connection-timeout=0s", "session-timeout=200ms" })
	void figuresThatCannotWorkStopTheStart(String property) {
		this.configured.withPropertyValues("leasehold.zookeeper." + property)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(LockEngineConfigurationException.class)
				.hasMessageContaining("leasehold.zookeeper." + property.substring(0, property.indexOf('='))));
	}

	private static String unreachable(AssertableApplicationContext context) {
		DistributedLocks locks = context.getBean(DistributedLocks.class);
		return catchThrowableOfType(LockEngineException.class, () -> locks.tryAcquire("order:42")).getMessage();
	}

	private static CuratorFramework client(String connectString) {
		CuratorFramework client = CuratorFrameworkFactory.newClient(connectString, new RetryForever(100));
		client.start();
		return client;
	}

}
