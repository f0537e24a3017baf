package io.leasehold.autoconfigure;

import io.leasehold.DistributedLocks;
import io.leasehold.LockEngineException;
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
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

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
				.withMessageContaining("ZooKeeper could not acquire lock 'order:42'");
		});
	}

	@Test
	void clientOfTheApplicationIsUsed() {
		this.runner.withBean("own", CuratorFramework.class, LeaseholdZooKeeperAutoConfigurationTests::client)
			.run((context) -> assertThat(context).hasSingleBean(ZooKeeperLockEngine.class)
				.hasSingleBean(CuratorFramework.class));
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
			"poll-interval=0s" })
	void figuresThatCannotWorkStopTheStart(String property) {
		this.configured.withPropertyValues("leasehold.zookeeper." + property)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(LockEngineConfigurationException.class)
				.hasMessageContaining("leasehold.zookeeper." + property.substring(0, property.indexOf('='))));
	}

	private static CuratorFramework client() {
		CuratorFramework client = CuratorFrameworkFactory.newClient("127.0.0.1:1", new RetryForever(100));
		client.start();
		return client;
	}

}
