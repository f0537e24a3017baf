package io.leasehold.interceptor;

import java.util.Arrays;
import java.util.List;

import io.leasehold.DistributedLocks;
import io.leasehold.LockBusyException;
import io.leasehold.annotation.DistributedLock;
import io.leasehold.test.contract.Fault;
import io.micrometer.core.annotation.Timed;
import io.micrometer.core.aop.TimedAspect;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.annotation.Observed;
import io.micrometer.observation.aop.ObservedAspect;
import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.annotation.Around;
import org.aspectj.lang.annotation.Aspect;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import org.springframework.aop.Advisor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.interceptor.ExposeInvocationInterceptor;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.EnableAspectJAutoProxy;
import org.springframework.core.Ordered;
import org.springframework.resilience.annotation.ConcurrencyLimit;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The order of the lock and of other advice, as the manual's table has it: by default,
 * and with the settings that the table names.
 */
@Fault(170)
class OrderOfProxiesTests {

	private static final List<Class<?>> BEANS = List.of(Asynchronous.class, Retried.class, Limited.class, Cached.class,
			Transacted.class, Measured.class, Watched.class, Traced.class);

	@Test
	void defaultOrderIsThatOfTheManual() {
		Locked.runner(BEANS.toArray(Class<?>[]::new))
			.withUserConfiguration(Advice.class, Defaults.class)
			.run((context) -> {
				assertThat(outside(context)).containsExactlyInAnyOrder(Asynchronous.class, Retried.class,
						Limited.class);
				assertThat(context.getBean(Cached.class).read()).isEqualTo("page");
				Locked.whileHeld(context.getBean(DistributedLocks.class), "key", () -> {
					assertThatExceptionOfType(LockBusyException.class).isThrownBy(context.getBean(Cached.class)::read);
					assertThatExceptionOfType(LockBusyException.class).isThrownBy(context.getBean(Measured.class)::run);
				});
				assertThat(context.getBean(MeterRegistry.class).find("measured").timer()).isNull();
			});
	}

	@Test
	void settingsOfTheManualChangeTheOrder() {
		Locked.runner(BEANS.toArray(Class<?>[]::new))
			.withUserConfiguration(Advice.class, Settings.class)
			.withPropertyValues("leasehold.order=2147483646")
			.run((context) -> {
				assertThat(outside(context)).containsExactlyInAnyOrder(Asynchronous.class, Retried.class, Limited.class,
						Cached.class, Measured.class, Traced.class);
				assertThat(context.getBean(Cached.class).read()).isEqualTo("page");
				Locked.whileHeld(context.getBean(DistributedLocks.class), "key", () -> {
					assertThat(context.getBean(Cached.class).read()).as("hit").isEqualTo("page");
					assertThatExceptionOfType(LockBusyException.class).isThrownBy(context.getBean(Measured.class)::run);
				});
				assertThat(context.getBean(MeterRegistry.class).get("measured").timer().count()).isEqualTo(1);
			});
	}

	/** Return the beans whose other advice is outside the lock. */
	private static List<Class<?>> outside(AssertableApplicationContext context) {
		return BEANS.stream().filter((type) -> {
			List<Advisor> advisors = Arrays.stream(((Advised) context.getBean(type)).getAdvisors())
				.filter((advisor) -> advisor != ExposeInvocationInterceptor.ADVISOR)
				.toList();
			assertThat(advisors).as(type.getSimpleName()).hasSize(2).hasAtLeastOneElementOfType(LockAdvisor.class);
			return advisors.get(1) instanceof LockAdvisor;
		}).toList();
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAspectJAutoProxy
	@EnableAsync
	@EnableResilientMethods
	@EnableTransactionManagement
	static class Advice {

		@Bean
		CacheManager cacheManager() {
			return new ConcurrentMapCacheManager();
		}

		@Bean
		MeterRegistry meterRegistry() {
			return new SimpleMeterRegistry();
		}

		@Bean
		ObservedAspect observedAspect() {
			return new ObservedAspect(ObservationRegistry.create());
		}

		@Bean
		LikeResilience4j likeResilience4j() {
			return new LikeResilience4j();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableCaching
	static class Defaults {

		@Bean
		TimedAspect timedAspect(MeterRegistry registry) {
			return new TimedAspect(registry);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableCaching(order = 0)
	static class Settings {

		@Bean
		OrderedTimedAspect timedAspect(MeterRegistry registry) {
			return new OrderedTimedAspect(registry);
		}

	}

	static class OrderedTimedAspect extends TimedAspect implements Ordered {

		OrderedTimedAspect(MeterRegistry registry) {
			super(registry);
		}

		@Override
		public int getOrder() {
			return 0;
		}

	}

	/** An aspect with the order of resilience4j's retries. */
	@Aspect
	static class LikeResilience4j implements Ordered {

		@Around("execution(* io.leasehold.interceptor.OrderOfProxiesTests.Traced.*(..))")
		@Nullable Object around(ProceedingJoinPoint call) throws Throwable {
			return call.proceed();
		}

		@Override
		public int getOrder() {
			return LOWEST_PRECEDENCE - 5;
		}

	}

	static class Asynchronous {

		@Async
		@DistributedLock(key = "'key'")
		public void run() {
		}

	}

	static class Retried {

		@Retryable
		@DistributedLock(key = "'key'")
		public void run() {
		}

	}

	static class Limited {

		@ConcurrencyLimit(2)
		@DistributedLock(key = "'key'")
		public void run() {
		}

	}

	static class Cached {

		@Cacheable("pages")
		@DistributedLock(key = "'key'")
		public String read() {
			return "page";
		}

	}

	static class Transacted {

		@Transactional
		@DistributedLock(key = "'key'")
		public void run() {
		}

	}

	static class Measured {

		@Timed("measured")
		@DistributedLock(key = "'key'")
		public void run() {
		}

	}

	static class Watched {

		@Observed(name = "watched")
		@DistributedLock(key = "'key'")
		public void run() {
		}

	}

	static class Traced {

		@DistributedLock(key = "'key'")
		public void run() {
		}

	}

}
