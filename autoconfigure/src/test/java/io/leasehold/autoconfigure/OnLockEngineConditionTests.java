package io.leasehold.autoconfigure;

import org.junit.jupiter.api.Test;

import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ContextConsumer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

class OnLockEngineConditionTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner().withUserConfiguration(Engines.class);

	@Test
	void everyEngineButTheLocalOneIsWantedWhenNoneIsNamed() {
		this.runner.run(wanted("jdbc", "redis"));
	}

	@Test
	void blankNameIsNoName() {
		this.runner.withPropertyValues("leasehold.engine=").run(wanted("jdbc", "redis"));
	}

	@Test
	void onlyTheNamedEngineIsWanted() {
		this.runner.withPropertyValues("leasehold.engine=redis").run(wanted("redis"));
	}

	@Test
	void localEngineIsWantedByName() {
		this.runner.withPropertyValues("leasehold.engine=local").run(wanted("local"));
	}

	@Test
	void nameIsTakenLiterally() {
		this.runner.withPropertyValues("leasehold.engine=Redis").run(wanted());
	}

	@Test
	void engineOfAnotherMakeLeavesTheOthersUnwanted() {
		this.runner.withPropertyValues("leasehold.engine=etcd").run(wanted());
	}

	@Test
	void engineIsEnabledBesideTheNamedOne() {
		this.runner.withPropertyValues("leasehold.engine=redis", "leasehold.jdbc.enabled=true")
			.run(wanted("jdbc", "redis"));
	}

	@Test
	void engineThatIsDisabledDoesNotCountWhenNoneIsNamed() {
		this.runner.withPropertyValues("leasehold.jdbc.enabled=false").run(wanted("redis"));
	}

	@Test
	void namedEngineIsWantedThoughDisabled() {
		this.runner.withPropertyValues("leasehold.engine=redis", "leasehold.redis.enabled=false").run(wanted("redis"));
	}

	@Test
	void onlyTheLocalEngineIsWantedWhereLocksAreDisabled() {
		this.runner
			.withPropertyValues("leasehold.enabled=false", "leasehold.engine=redis", "leasehold.jdbc.enabled=true")
			.run(wanted("local"));
	}

	private static ContextConsumer<AssertableApplicationContext> wanted(String... engines) {
		return (context) -> assertThat(context.getBeansOfType(String.class).keySet())
			.containsExactlyInAnyOrder(engines);
	}

	@Configuration(proxyBeanMethods = false)
	static class Engines {

		@Bean
		@ConditionalOnLockEngine("jdbc")
		String jdbc() {
			return "jdbc";
		}

		@Bean
		@ConditionalOnLockEngine(value = "local", onlyIfNamed = true)
		String local() {
			return "local";
		}

		@Bean
		@ConditionalOnLockEngine("redis")
		String redis() {
			return "redis";
		}

	}

}
