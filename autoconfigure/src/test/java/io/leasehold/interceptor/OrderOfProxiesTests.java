package io.leasehold.interceptor;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;

import io.leasehold.DistributedLocks;
import io.leasehold.HeldLock;
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
import jakarta.validation.ConstraintViolationException;
import jakarta.validation.constraints.NotNull;
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
import org.springframework.retry.annotation.Backoff;
import org.springframework.retry.annotation.EnableRetry;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.test.util.AopTestUtils;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.validation.annotation.Validated;
import org.springframework.validation.beanvalidation.LocalValidatorFactoryBean;
import org.springframework.validation.beanvalidation.MethodValidationPostProcessor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The order of the lock and of other advice, as the manual's table has it: by default,
 * and with the settings that the table names.
 */
@Fault(170)
class OrderOfProxiesTests {

	private static final List<Class<?>> BEANS = List.of(Asynchronous.class, Retried.class, Limited.class, Cached.class,
			Transacted.class, Validation.class, Measured.class, Watched.class, Repeated.class, Traced.class);

	@Test
	void defaultOrderIsThatOfTheManual() {
		Locked.runner(BEANS.toArray(Class<?>[]::new))
			.withUserConfiguration(Advice.class, Defaults.class)
			.run((context) -> {
				assertThat(outside(context)).containsExactlyInAnyOrder(Asynchronous.class, Retried.class,
						Limited.class);
				assertThat(context.getBean(Cached.class).read()).isEqualTo("page");
				Locked.whileHeld(context.getBean(DistributedLocks.class), "key", () -> {
					assertThatExceptionOfType(LockBusyException.class)
						.isThrownBy(() -> context.getBean(Validation.class).run(null));
					assertThatExceptionOfType(LockBusyException.class).isThrownBy(context.getBean(Cached.class)::read);
					assertThatExceptionOfType(LockBusyException.class).isThrownBy(context.getBean(Measured.class)::run);
				});
				assertThat(context.getBean(MeterRegistry.class).find("measured").timer()).isNull();
				assertThat(new HashSet<>(tokensOfRetries(context))).hasSize(1);
			});
	}

	@Test
	void settingsOfTheManualChangeTheOrder() {
		Locked.runner(BEANS.toArray(Class<?>[]::new))
			.withUserConfiguration(Advice.class, Settings.class)
			.withPropertyValues("leasehold.order=2147483646")
			.run((context) -> {
				assertThat(outside(context)).containsExactlyInAnyOrder(Asynchronous.class, Retried.class, Limited.class,
						Cached.class, Validation.class, Measured.class, Repeated.class, Traced.class);
				assertThat(context.getBean(Cached.class).read()).isEqualTo("page");
				Locked.whileHeld(context.getBean(DistributedLocks.class), "key", () -> {
					assertThatExceptionOfType(ConstraintViolationException.class)
						.isThrownBy(() -> context.getBean(Validation.class).run(null));
					assertThat(context.getBean(Cached.class).read()).as("hit").isEqualTo("page");
					assertThatExceptionOfType(LockBusyException.class).isThrownBy(context.getBean(Measured.class)::run);
				});
				assertThat(context.getBean(MeterRegistry.class).get("measured").timer().count()).isEqualTo(1);
				assertThat(tokensOfRetries(context)).doesNotHaveDuplicates();
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

	/** Return the fencing tokens under which a body with two retries ran. */
	private static List<Long> tokensOfRetries(AssertableApplicationContext context) {
		context.getBean(Repeated.class).run();
		List<Long> tokens = AopTestUtils.<Repeated>getTargetObject(context.getBean(Repeated.class)).tokens;
		assertThat(tokens).hasSize(3);
		return tokens;
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

		@Bean
		static LocalValidatorFactoryBean validator() {
			return new LocalValidatorFactoryBean();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableCaching
	@EnableRetry
	static class Defaults {

		@Bean
		TimedAspect timedAspect(MeterRegistry registry) {
			return new TimedAspect(registry);
		}

		@Bean
		static MethodValidationPostProcessor methodValidation(LocalValidatorFactoryBean validator) {
			MethodValidationPostProcessor validation = new MethodValidationPostProcessor();
			validation.setValidator(validator);
			return validation;
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableCaching(order = 0)
	@EnableRetry(order = 0)
	static class Settings {

		@Bean
		OrderedTimedAspect timedAspect(MeterRegistry registry) {
			return new OrderedTimedAspect(registry);
		}

		@Bean
		static MethodValidationPostProcessor methodValidation(LocalValidatorFactoryBean validator) {
			MethodValidationPostProcessor validation = new MethodValidationPostProcessor();
			validation.setValidator(validator);
			validation.setBeforeExistingAdvisors(true);
			return validation;
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

	@Validated
	static class Validation {

		@DistributedLock(key = "'key'")
		public void run(@NotNull @Nullable String id) {
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

	static class Repeated {

		final List<Long> tokens = new ArrayList<>();

		@org.springframework.retry.annotation.Retryable(backoff = @Backoff(delay = 1))
		@DistributedLock(key = "'key'")
		public void run() {
			this.tokens.add(HeldLock.current().fencingToken());
			if (this.tokens.size() < 3) {
				throw new IllegalStateException("Try again");
			}
		}

	}

	static class Traced {

		@DistributedLock(key = "'key'")
		public void run() {
		}

	}

}
