package io.leasehold.interceptor;

import java.lang.reflect.Proxy;
import java.util.HashSet;
import java.util.Set;

import io.leasehold.LockKeyException;
import io.leasehold.annotation.DistributedLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for the names of methods whose bean has a generated class: messages and locks are
 * named after a class that the user wrote.
 */
@ExtendWith(OutputCaptureExtension.class)
class GeneratedClassNamesTests {

	private static final String RATES = GeneratedClassNamesTests.class.getName() + "$Rates";

	@Test
	void messageAboutAProxyOfInterfacesNamesItsInterface() {
		Locked.runner(Clients.class)
			.run((context) -> assertThatExceptionOfType(LockKeyException.class)
				.isThrownBy(() -> context.getBean("proxy", Rates.class).load(null))
				.withMessageContaining(RATES + ".load")
				.withMessageNotContaining("$Proxy"));
	}

	@Test
	void messageAboutALambdaNamesItsInterface() {
		Locked.runner(Clients.class, LockInterceptorFixture.Recorder.class).run((context) -> {
			Rates lambda = context.getBean("lambda", Rates.class);
			assertThatExceptionOfType(LockKeyException.class).isThrownBy(() -> lambda.load(null))
				.withMessageContaining(RATES + ".load")
				.withMessageNotContaining("$$");
			lambda.load("eu");
			assertThat(context.getBean(LockInterceptorFixture.Recorder.class).acquired("Rates.load"))
				.containsExactly("rate:eu");
		});
	}

	@Test
	void refusalOfAProxyOfInterfacesNamesItsInterface() {
		Locked.runner(InvalidClient.class)
			.run((context) -> Locked.refusal(context)
				.hasMessageStartingWith(GeneratedClassNamesTests.class.getName() + "$Invalid.load "));
	}

	@Test
	void messageAboutAConfigurationClassNamesItsOwnClass(CapturedOutput output) {
		Locked.runner(Jobs.class).run((context) -> {
			Jobs jobs = context.getBean(Jobs.class);
			assertThatExceptionOfType(LockKeyException.class).isThrownBy(() -> jobs.run(null))
				.withMessageContaining(Jobs.class.getName() + ".run")
				.withMessageNotContaining("$$");
			assertThat(output).contains(Jobs.class.getName() + ".run(String) is called by its own bean")
				.doesNotContain("SpringCGLIB");
		});
	}

	/**
	 * Each class takes memory until the process ends, such as a process of many tests.
	 */
	@Test
	void contextsShareTheGeneratedClassOfABean() {
		Set<Class<?>> generated = new HashSet<>();
		for (int i = 0; i < 3; i++) {
			Locked.runner(LockInterceptorFixture.Orders.class)
				.run((context) -> generated.add(context.getBean(LockInterceptorFixture.Orders.class).getClass()));
		}
		assertThat(generated).hasSize(1);
	}

	/** A generated class has another name in each process. */
	@Test
	void keyWithTheNameOfTheTargetClassNamesTheInterface() {
		Locked.runner(NamedClients.class, LockInterceptorFixture.Recorder.class).run((context) -> {
			context.getBean("proxy", Named.class).load("eu");
			context.getBean("lambda", Named.class).load("us");
			assertThat(context.getBean(LockInterceptorFixture.Recorder.class).acquired("Named.load"))
				.containsExactly("Named:eu", "Named:us");
		});
	}

	public interface Rates {

		@DistributedLock(key = "'rate:' + #p0")
		void load(String region);

	}

	public interface Named {

		@DistributedLock(key = "#root.targetClass.simpleName + ':' + #p0")
		void load(String region);

	}

	public interface Invalid {

		@DistributedLock(key = "'rate:' + #none")
		void load(String region);

	}

	private static <T> T proxy(Class<T> type) {
		return type
			.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type }, (proxy, method, arguments) -> {
				String name = method.getName();
				return name.equals("hashCode") ? 1 : name.equals("equals") ? false : name.equals("load") ? null : "";
			}));
	}

	@Configuration(proxyBeanMethods = false)
	static class Clients {

		@Bean
		Rates proxy() {
			return GeneratedClassNamesTests.proxy(Rates.class);
		}

		@Bean
		Rates lambda() {
			return (region) -> {
			};
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class NamedClients {

		@Bean
		Named proxy() {
			return GeneratedClassNamesTests.proxy(Named.class);
		}

		@Bean
		Named lambda() {
			return (region) -> {
			};
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class InvalidClient {

		@Bean
		Invalid proxy() {
			return GeneratedClassNamesTests.proxy(Invalid.class);
		}

	}

	@Configuration
	static class Jobs {

		@Bean
		String needsAProxyOfThisClass() {
			return "";
		}

		@DistributedLock(key = "'job:' + #name")
		public void run(String name) {
		}

		public void run() {
			run("nightly");
		}

	}

}
