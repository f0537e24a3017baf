package io.leasehold.interceptor;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;

import io.leasehold.HeldLock;
import io.leasehold.annotation.DistributedLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.test.util.AopTestUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for annotations at the limits of what is valid, and on unusual beans.
 */
class LockAnnotationEdgesTests {

	@Test
	void shortestLeaseOfTheEngineStarts() {
		Locked.runner(Durations.class)
			.withPropertyValues("test.lease=10ms")
			.run((context) -> assertThat(context).hasNotFailed());
		Locked.runner(Durations.class)
			.withPropertyValues("test.lease=9ms")
			.run((context) -> Locked.refusal(context).hasMessageContaining("Use at least 10ms"));
	}

	@ParameterizedTest
	@CsvSource({ "test.lease=0s, zero", "test.lease=-1s, negative", "test.wait=-1ms, negative" })
	void durationThatIsTooShortIsNamed(String property, String problem) {
		Locked.runner(Durations.class)
			.withPropertyValues(property)
			.run((context) -> Locked.refusal(context).hasMessageContaining("which is " + problem));
	}

	@Test
	void onePermitIsANumberOfPermits() {
		Locked.runner(Permit.class).run((context) -> {
			context.getBean(Permit.class).run();
			assertThat(context).hasNotFailed();
		});
	}

	/** As a declarative client or a repository. */
	@Test
	void beanThatIsAProxyItselfIsLockedUnderTheNameOfItsInterface() {
		Locked.runner(Clients.class, LockInterceptorFixture.Recorder.class).run((context) -> {
			List<String> seen = context.getBean(Clients.class).seen;
			context.getBean(Rates.class).load("eu");
			assertThat(seen).containsExactly("rate:eu");
			assertThat(context.getBean(LockInterceptorFixture.Recorder.class).acquired("Rates.load"))
				.containsExactly("rate:eu");
		});
	}

	/** The class that declares the method does not implement the interface. */
	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void annotationOfAnInterfaceCountsForAMethodInheritedFromAnotherClass(boolean classProxies) {
		Locked.runner(InheritedRates.class, LockInterceptorFixture.Recorder.class)
			.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class))
			.withPropertyValues("spring.aop.proxy-target-class=" + classProxies)
			.run((context) -> {
				context.getBean(Rates.class).load("eu");
				((RateStore) AopTestUtils.getTargetObject(context.getBean(Rates.class))).load("unlocked");
				assertThat(context.getBean(LockInterceptorFixture.Recorder.class).acquired("InheritedRates.load"))
					.containsExactly("rate:eu");
			});
	}

	static class Durations {

		@DistributedLock(key = "'k'", lease = "${test.lease:}", waitTime = "${test.wait:}")
		public void run() {
		}

	}

	static class Permit {

		@DistributedLock(key = "'k'", permits = "1")
		public void run() {
			assertThat(HeldLock.current().isValid()).isTrue();
		}

	}

	public interface Rates {

		@DistributedLock(key = "'rate:' + #p0")
		void load(String region);

	}

	static class RateStore {

		public void load(String region) {
		}

		public void clear() {
		}

	}

	static class InheritedRates extends RateStore implements Rates {

	}

	@Configuration(proxyBeanMethods = false)
	static class Clients {

		final List<String> seen = new ArrayList<>();

		@Bean
		Rates rates() {
			return (Rates) Proxy.newProxyInstance(Rates.class.getClassLoader(), new Class<?>[] { Rates.class },
					(proxy, method, arguments) -> {
						if (method.getName().equals("load")) {
							this.seen.add(HeldLock.current().key());
							return null;
						}
						return method.getName().equals("hashCode") ? 1 : method.getName().equals("equals") ? false : "";
					});
		}

	}

}
