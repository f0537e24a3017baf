package io.leasehold.interceptor;

import io.leasehold.annotation.DistributedLock;
import io.leasehold.key.KeyParser;
import io.leasehold.test.contract.Fault;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.beans.factory.BeanCreationException;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.support.StaticListableBeanFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.context.support.SimpleThreadScope;
import org.springframework.core.PriorityOrdered;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Beans whose annotated methods are checked, by scope and by proxy.
 */
class ValidatedBeansTests {

	@Test
	void lazyBeansAreCheckedWithoutBeingMade() {
		Locked.runner(LazyBeans.class)
			.run((context) -> Locked.refusal(context).hasMessageContaining("UnknownParameter.run"));
	}

	@Test
	void prototypeBeansAreChecked() {
		Locked.runner(PrototypeBeans.class)
			.run((context) -> Locked.refusal(context).hasMessageContaining("UnknownParameter.run"));
	}

	@Test
	void scopedBeansAreChecked() {
		Locked.runner(ScopedBeans.class)
			.withInitializer((context) -> context.getBeanFactory().registerScope("test", new SimpleThreadScope()))
			.run((context) -> Locked.refusal(context).hasMessageContaining("UnknownParameter.run"));
	}

	@Test
	void goodScopedBeanIsLockedOnce() {
		Locked.runner(GoodScopedBeans.class, LockInterceptorFixture.Recorder.class)
			.withInitializer((context) -> context.getBeanFactory().registerScope("test", new SimpleThreadScope()))
			.run((context) -> {
				context.getBean("good", Good.class).run("a");
				assertThat(context.getBean(LockInterceptorFixture.Recorder.class).ended("Good.run")).hasSize(1);
			});
	}

	@Test
	void whatTheTypeHidesIsCheckedForSingletons() {
		Locked.runner(HiddenSingleton.class)
			.run((context) -> Locked.refusal(context).hasMessageContaining("HiddenMistake.run"));
	}

	@Test
	void whatTheTypeHidesIsCheckedWhenTheBeanIsMade() {
		Locked.runner(HiddenPrototype.class)
			.run((context) -> assertThatExceptionOfType(BeanCreationException.class)
				.isThrownBy(() -> context.getBean("hidden"))
				.withRootCauseInstanceOf(RuntimeException.class)
				.withStackTraceContaining("HiddenMistake.run"));
	}

	/** A bean without its proxy would run without its lock, so it fails startup. */
	@Test
	@Fault(84)
	void beanMadeTooEarlyStopsTheStart() {
		Locked.runner(TooEarly.class)
			.run((context) -> Locked.refusal(context)
				.hasMessageContaining("Good.run")
				.hasMessageContaining("'good'")
				.hasMessageContaining("too early"));
	}

	@Test
	void circularBeansKeepTheirProxies() {
		Locked.runner(Circular.class)
			.withInitializer((context) -> ((GenericApplicationContext) context).setAllowCircularReferences(true))
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void opaqueProxyIsNoMistake() {
		Locked.runner(Good.class).withInitializer((context) -> context.addBeanFactoryPostProcessor((beans) -> {
			BeanDefinition creator = beans.getBeanDefinition(AopConfigUtils.AUTO_PROXY_CREATOR_BEAN_NAME);
			creator.getPropertyValues().add("opaque", true);
		})).run((context) -> assertThat(context.getBean(Good.class)).isNotInstanceOf(Advised.class));
	}

	@Test
	void finalMethodOfAnInterfaceIsLockedByAJdkProxy() {
		Locked.runner(FinalInInterface.class, LockInterceptorFixture.Recorder.class).run((context) -> {
			context.getBean(LockAnnotationValidatorTests.Runs.class).run("a");
			assertThat(context.getBean(LockInterceptorFixture.Recorder.class).keys).containsExactly("final:a");
		});
	}

	/**
	 * A method that a class proxy cannot override would run without its lock: it stops
	 * the start.
	 */
	@Test
	@Fault(84)
	void finalMethodOfAnInterfaceIsRefusedForAClassProxy() {
		Locked.runner(FinalInInterface.class)
			.withInitializer((context) -> context.addBeanFactoryPostProcessor((beans) -> {
				for (String name : beans.getBeanNamesForType(FinalInInterface.class, true, false)) {
					beans.getBeanDefinition(name)
						.setAttribute(AutoProxyUtils.PRESERVE_TARGET_CLASS_ATTRIBUTE, Boolean.TRUE);
				}
			}))
			.run((context) -> Locked.refusal(context).hasMessageContaining("FinalInInterface.run"));
	}

	@Test
	void serviceIsNotAskedForWithoutAnnotatedMethods() {
		LockOperationSource operations = new LockOperationSource(() -> {
			throw new AssertionError("Asked for without need");
		}, new KeyParser(new StaticListableBeanFactory()), (value) -> value,
				new TransactionGuards(() -> null, () -> null, () -> null), UnavailablePolicy.FAIL, () -> null);
		try (GenericApplicationContext context = new GenericApplicationContext()) {
			context.registerBean(Plain.class);
			context.registerBean(LockAnnotationValidator.class, () -> new LockAnnotationValidator(operations, 0));
			context.refresh();
			assertThat(context.getBean(Plain.class)).isNotNull();
		}
	}

	static class Plain {

		public void run() {
		}

	}

	public static class Good {

		@DistributedLock(key = "'good:' + #id")
		public void run(String id) {
		}

	}

	static class FinalInInterface implements LockAnnotationValidatorTests.Runs {

		@Override
		@DistributedLock(key = "'final:' + #id")
		public final void run(String id) {
		}

	}

	static class HiddenMistake implements LockAnnotationValidatorTests.Runs {

		@Override
		@DistributedLock(key = "'k:' + #idd")
		public void run(String id) {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class LazyBeans {

		@Bean
		@Lazy
		LockAnnotationValidatorTests.UnknownParameter lazy() {
			throw new AssertionError("Made before it was needed");
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class PrototypeBeans {

		@Bean
		@Scope("prototype")
		LockAnnotationValidatorTests.UnknownParameter prototype() {
			throw new AssertionError("Made before it was needed");
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ScopedBeans {

		@Bean
		@Scope(value = "test", proxyMode = ScopedProxyMode.TARGET_CLASS)
		LockAnnotationValidatorTests.UnknownParameter scoped() {
			throw new AssertionError("Made before it was needed");
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class GoodScopedBeans {

		@Bean
		@Scope(value = "test", proxyMode = ScopedProxyMode.TARGET_CLASS)
		Good good() {
			return new Good();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class HiddenSingleton {

		@Bean
		LockAnnotationValidatorTests.Runs hidden() {
			return new HiddenMistake();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class HiddenPrototype {

		@Bean
		@Scope("prototype")
		LockAnnotationValidatorTests.Runs hidden() {
			return new HiddenMistake();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class TooEarly {

		@Bean
		static Needy needy(Good good) {
			return new Needy(good);
		}

		@Bean
		static Good good() {
			return new Good();
		}

	}

	/** Ordered before the creator of the proxies. */
	record Needy(Good good) implements BeanPostProcessor, PriorityOrdered {

		@Override
		public int getOrder() {
			return HIGHEST_PRECEDENCE;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Circular {

		@Bean
		static Left left() {
			return new Left();
		}

		@Bean
		static Right right() {
			return new Right();
		}

	}

	static class Left {

		@Autowired
		@Nullable Right right;

		@DistributedLock(key = "'left'")
		public void run() {
		}

	}

	static class Right {

		@Autowired
		@Nullable Left left;

		@DistributedLock(key = "'right'")
		public void run() {
		}

	}

}
