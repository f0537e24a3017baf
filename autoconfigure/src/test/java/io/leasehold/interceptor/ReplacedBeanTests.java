package io.leasehold.interceptor;

import io.leasehold.DistributedLocks;
import io.leasehold.annotation.DistributedLock;
import io.leasehold.autoconfigure.LeaseholdAutoConfiguration;
import io.leasehold.autoconfigure.LeaseholdLocalAutoConfiguration;
import org.junit.jupiter.api.Test;
import org.mockito.Mockito;

import org.springframework.aop.support.AopUtils;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.test.context.TestPropertySource;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import org.springframework.test.context.bean.override.mockito.MockitoSpyBean;
import org.springframework.test.context.junit.jupiter.SpringJUnitConfig;
import org.springframework.test.util.AopTestUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Beans that a test puts in place of annotated ones have no proxies, and are no mistakes.
 */
@SpringJUnitConfig
@TestPropertySource(properties = "leasehold.engine=local")
class ReplacedBeanTests {

	@MockitoBean
	Mocked mocked;

	@MockitoSpyBean
	Spied spied;

	/** As the manual recommends. */
	@MockitoSpyBean
	DistributedLocks locks;

	@Test
	void mockRunsWithoutLock() {
		assertThat(AopUtils.isAopProxy(this.mocked)).isFalse();
		this.mocked.run(() -> {
			throw new AssertionError("Not a mock");
		});
		Mockito.verify(this.mocked).run(Mockito.any());
	}

	@Test
	void spyRunsUnderItsLock() {
		this.spied.run(() -> assertThat(Locked.isFree(this.locks, "spied")).isFalse());
		assertThat(Locked.isFree(this.locks, "spied")).isTrue();
	}

	@Test
	void spyOfTheLocksAcquiresThem() {
		this.locks.acquire("spied").close();
		Mockito.verify(this.locks).acquire("spied");
	}

	/** A matcher is null for the advice, which would reject it as a key. */
	@Test
	void spyIsStubbedBehindItsProxy() {
		Spied target = AopTestUtils.getUltimateTargetObject(this.spied);
		Mockito.doReturn("stubbed").when(target).pay(Mockito.any());
		assertThat(this.spied.pay("a")).isEqualTo("stubbed");
		Mockito.verify(target).pay("a");
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ LeaseholdAutoConfiguration.class, LeaseholdLocalAutoConfiguration.class })
	static class Application {

		@Bean
		Mocked mocked() {
			return new Mocked();
		}

		@Bean
		Spied spied() {
			return new Spied();
		}

	}

	static class Mocked {

		@DistributedLock(key = "'mocked'")
		public void run(Runnable body) {
			body.run();
		}

	}

	static class Spied {

		@DistributedLock(key = "'spied'")
		public void run(Runnable body) {
			body.run();
		}

		@DistributedLock(key = "'spied:' + #id")
		public String pay(String id) {
			return "paid " + id;
		}

	}

}
