package io.leasehold.autoconfigure;

import io.leasehold.DistributedLocks;
import io.leasehold.HeldLock;
import io.leasehold.LockBusyException;
import io.leasehold.LockEngineException;
import io.leasehold.annotation.DistributedLock;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Claim;
import io.leasehold.engine.LockEngine;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aop.support.AopUtils;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Annotated methods in an application that Spring Boot has set up.
 */
@ExtendWith(OutputCaptureExtension.class)
class LeaseholdAdviceTests {

	private final ApplicationContextRunner runner = Leasehold.runner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class))
		.withBean(Orders.class)
		.withPropertyValues("leasehold.engine=local", "leasehold.wait-time=0s");

	@ParameterizedTest
	@ValueSource(strings = { "spring.aop.auto=true", "spring.aop.auto=false", "spring.aop.proxy-target-class=false" })
	void methodRunsUnderItsLock(String property) {
		this.runner.withPropertyValues(property)
			.run((context) -> assertThat(context.getBean(Orders.class).pay(42)).isEqualTo("order:42"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "org.aspectj", "io.micrometer", "org.springframework.transaction",
			"org.springframework.data.redis", "io.lettuce", "org.springframework.jdbc", "com.zaxxer.hikari",
			"org.springframework.boot.actuate", "reactor.core" })
	void methodRunsUnderItsLockWithoutTheOptionalLibrary(String missing) {
		this.runner.withClassLoader(new FilteredClassLoader(missing))
			.run((context) -> assertThat(context.getBean(Orders.class).pay(42)).isEqualTo("order:42"));
	}

	@Test
	void methodDoesNotRunWhileAnotherOwnerHasItsLock() {
		this.runner.run((context) -> {
			HeldLock held = context.getBean(DistributedLocks.class).acquireAsync("order:42").get();
			assertThatExceptionOfType(LockBusyException.class).isThrownBy(() -> context.getBean(Orders.class).pay(42));
			held.close();
		});
	}

	@Test
	void disabledLocksLeaveMethodsWithoutAdvice() {
		this.runner.withPropertyValues("leasehold.enabled=false").run((context) -> {
			assertThat(AopUtils.isAopProxy(context.getBean(Orders.class))).isFalse();
			HeldLock held = context.getBean(DistributedLocks.class).acquireAsync("order:42").get();
			assertThat(context.getBean(Orders.class).pay(42)).isEqualTo("no lock");
			held.close();
		});
	}

	@Test
	void methodFailsWhenTheStoreIsDown() {
		withBrokenStore().run((context) -> assertThatExceptionOfType(LockEngineException.class)
			.isThrownBy(() -> context.getBean(Orders.class).pay(42)));
	}

	@Test
	void methodProceedsWhenTheStoreIsDownIfConfigured() {
		withBrokenStore().withPropertyValues("leasehold.when-unavailable=proceed")
			.run((context) -> assertThat(context.getBean(Orders.class).pay(42)).isEqualTo("no lock"));
	}

	@Test
	void badAnnotationIsExplained() {
		this.runner.withBean(Misspelt.class).run((context) -> {
			assertThat(context).hasFailed();
			FailureAnalysis analysis = new InvalidLockAnnotationFailureAnalyzer().analyze(context.getStartupFailure());
			assertThat(analysis).isNotNull();
			assertThat(analysis.getDescription()).contains("Misspelt.pay").contains("nope");
			assertThat(analysis.getAction()).isNotBlank();
		});
	}

	@Test
	void applicationWithABadAnnotationPrintsTheReason(CapturedOutput output) {
		SpringApplication application = new SpringApplication(MisspeltApplication.class);
		application.setWebApplicationType(WebApplicationType.NONE);
		assertThatExceptionOfType(Exception.class)
			.isThrownBy(() -> application.run("--leasehold.engine=local").close());
		assertThat(output).contains("APPLICATION FAILED TO START").contains("Misspelt.pay").contains("nope");
	}

	private ApplicationContextRunner withBrokenStore() {
		return this.runner.withBean("broken", LockEngine.class, BrokenEngine::new)
			.withPropertyValues("leasehold.engine=broken");
	}

	/** Public, as proxies of a filtered class loader are in another run-time package. */
	public static class Orders {

		@DistributedLock(key = "'order:' + #p0")
		public String pay(long id) {
			try {
				return HeldLock.current().key();
			}
			catch (IllegalStateException ex) {
				return "no lock";
			}
		}

	}

	static class Misspelt {

		@DistributedLock(key = "'order:' + #nope")
		public void pay(long id) {
		}

	}

	static class BrokenEngine extends StubEngine {

		BrokenEngine() {
			super("broken");
		}

		@Override
		public AcquisitionOutcome tryAcquire(Claim claim) {
			throw new LockEngineException(claim.key(), "The store is down", null);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ LeaseholdAutoConfiguration.class, LeaseholdLocalAutoConfiguration.class })
	@Import(Misspelt.class)
	static class MisspeltApplication {

	}

}
