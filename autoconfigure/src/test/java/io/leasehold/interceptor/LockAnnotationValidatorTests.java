package io.leasehold.interceptor;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.stream.Stream;

import io.leasehold.LockBusyException;
import io.leasehold.annotation.DistributedLock;
import io.leasehold.annotation.WhenBusy;
import io.leasehold.key.KeyParser;
import io.leasehold.test.contract.Fault;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.beans.factory.BeanCreationException;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.support.StaticListableBeanFactory;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
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

class LockAnnotationValidatorTests {

	static Stream<Arguments> mistakes() {
		return Stream.of(Arguments.of(UnknownParameter.class, "UnknownParameter.run", "'idd'", "#id or #p0"),
				Arguments.of(NoSpel.class, "NoSpel.run", "not a SpEL expression", "single quotes"),
				Arguments.of(PrivateMethod.class, "PrivateMethod.run", "private", "public"),
				Arguments.of(StaticMethod.class, "StaticMethod.run", "static", "non-static"),
				Arguments.of(FinalMethod.class, "FinalMethod.run", "is final, so", "Remove final"),
				Arguments.of(FinalClass.class, "FinalClass.run", "is final through its class", "Remove final"),
				Arguments.of(NotInInterface.class, "NotInInterface.run(int)", "no interface", "proxy-target-class"),
				Arguments.of(SkippedPrimitive.class, "SkippedPrimitive.run", "SKIP, but returns int", "wrapper"),
				Arguments.of(SkipAndFallback.class, "SkipAndFallback.run", "both whenBusy SKIP and a fallback",
						"Keep one"),
				Arguments.of(MissingFallback.class, "MissingFallback.run", "no such method", "other(String)"),
				Arguments.of(FallbackWithParentheses.class, "FallbackWithParentheses.run", "not a method name",
						"without parentheses"),
				Arguments.of(NameWithPlaceholder.class, "NameWithPlaceholder.run", "never resolved", "fixed name"),
				Arguments.of(WrongFallback.class, "WrongFallback.run", "parameters", "other(String)"),
				Arguments.of(NarrowFallback.class, "NarrowFallback.run", "parameters", "LockException"),
				Arguments.of(WrongResult.class, "WrongResult.run", "returns Integer", "return String"),
				Arguments.of(UnknownEngine.class, "UnknownEngine.run", "\"etcd\"", "leasehold.<name>.enabled"),
				Arguments.of(PlainFuture.class, "PlainFuture.run", "Future", "CompletionStage"),
				Arguments.of(OwnFuture.class, "OwnFuture.run", "Stage", "CompletionStage"),
				Arguments.of(UnknownInClass.class, "UnknownInClass.second", "'id'", "#name"));
	}

	/**
	 * A method that could not be guarded as its annotation says, such as a private or
	 * final one, stops the start.
	 */
	@ParameterizedTest
	@Fault(84)
	@MethodSource("mistakes")
	void mistakeStopsTheStart(Class<?> bean, String method, String problem, String action) {
		Locked.runner(bean)
			.run((context) -> Locked.refusal(context)
				.isInstanceOfSatisfying(InvalidLockAnnotationException.class, (ex) -> {
					assertThat(ex.getDescription()).startsWith("%s$%s ".formatted(getClass().getName(), method))
						.contains(problem);
					assertThat(ex.getAction()).contains(action);
					assertThat(ex).hasMessageContaining(method).hasMessageContaining(ex.getAction());
					assertThat(ex.getType()).isEqualTo(bean);
					assertThat(method).contains("." + ex.getMethod().getName());
				}));
	}

	/** A number without a unit is refused as such, in annotations as in properties. */
	@Fault(131)
	@ParameterizedTest
	@ValueSource(strings = { "test.lease=30", "test.wait=5", "test.wait=-5", "test.min=+5", "test.max=60" })
	void numberWithoutAUnitStopsTheStart(String property) {
		Locked.runner(Durations.class)
			.withPropertyValues(property)
			.run((context) -> Locked.refusal(context)
				.hasMessageContaining("Durations.run")
				.hasMessageContaining("a number without a unit")
				.hasMessageContaining("30s"));
	}

	@Test
	void overloadedMethodIsNamedWithItsParameters() {
		Locked.runner(Overloaded.class)
			.run((context) -> Locked.refusal(context)
				.hasMessageStartingWith(Overloaded.class.getName() + ".run(String, int) has key "));
	}

	/** An annotation's lease that is no lease stops the start and is named. */
	@Fault(77)
	@ParameterizedTest
	@ValueSource(strings = { "-1s", "0", "0s", "0ms", "PT0S", "PT-5S", "30", "soon", "9999999999999999d",
			"PT9999999999999999H", "400d", "9223372036854775807s", "1ms", "1x" })
	void badLeaseStopsTheStart(String lease) {
		durations("test.lease=" + lease, "lease");
	}

	@ParameterizedTest
	@ValueSource(strings = { "-1ms", "5", "PT9999999999999999H", "9223372036854775807s" })
	void badWaitTimeStopsTheStart(String waitTime) {
		durations("test.wait=" + waitTime, "waitTime");
	}

	@ParameterizedTest
	@ValueSource(strings = { "-1ms", "5", "never" })
	void badMinHoldStopsTheStart(String minHold) {
		durations("test.min=" + minHold, "minHold");
	}

	@ParameterizedTest
	@ValueSource(strings = { "-1ms", "0", "0s", "5", "never" })
	void badMaxHoldStopsTheStart(String maxHold) {
		durations("test.max=" + maxHold, "maxHold");
	}

	private static void durations(String property, String attribute) {
		Locked.runner(Durations.class)
			.withPropertyValues(property)
			.run((context) -> Locked.refusal(context)
				.hasMessageContaining("Durations.run")
				.hasMessageContaining(attribute));
	}

	@Test
	void minHoldLongerThanMaxHoldStopsTheStart() {
		Locked.runner(Durations.class)
			.withPropertyValues("test.min=2s", "test.max=1s")
			.run((context) -> Locked.refusal(context)
				.hasMessageContaining("Durations.run")
				.hasMessageContaining("minHold")
				.hasMessageContaining("maxHold"));
	}

	@ExtendWith(OutputCaptureExtension.class)
	@Test
	void maxHoldShorterThanTheShortestLeaseIsWarnedOf(CapturedOutput output) {
		Locked.runner(Durations.class).withPropertyValues("test.max=9ms").run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(output).contains("Durations.run has maxHold PT0.009S").contains("10 ms");
		});
		Locked.runner(Durations.class)
			.withPropertyValues("test.max=10ms")
			.run((context) -> assertThat(output).doesNotContain("PT0.01S"));
	}

	@Test
	void unresolvedPlaceholderStopsTheStart() {
		Locked.runner(Unresolved.class)
			.run((context) -> Locked.refusal(context)
				.hasMessageContaining("Unresolved.run")
				.hasMessageContaining("${no.such.property}"));
	}

	@Test
	void zeroNeedsNoUnitWhereItMeansSomething() {
		Locked.runner(Durations.class)
			.withPropertyValues("test.wait=0", "test.min=0")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void goodDurationsStart() {
		Locked.runner(Durations.class)
			.withPropertyValues("test.lease=30s", "test.wait=0s", "test.min=0s", "test.max=PT1M")
			.run((context) -> assertThat(context).hasNotFailed());
	}

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
		Locked.runner(GoodScopedBeans.class, LockInterceptorTests.Recorder.class)
			.withInitializer((context) -> context.getBeanFactory().registerScope("test", new SimpleThreadScope()))
			.run((context) -> {
				context.getBean("good", Good.class).run("a");
				assertThat(context.getBean(LockInterceptorTests.Recorder.class).ended("Good.run")).hasSize(1);
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

	/** A bean that escaped its proxy would run without its lock: it stops the start. */
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
		Locked.runner(FinalInInterface.class, LockInterceptorTests.Recorder.class).run((context) -> {
			context.getBean(Runs.class).run("a");
			assertThat(context.getBean(LockInterceptorTests.Recorder.class).keys).containsExactly("final:a");
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
		}, new KeyParser(new StaticListableBeanFactory()), (value) -> value, () -> null);
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

	static class UnknownParameter {

		@DistributedLock(key = "'k:' + #idd")
		public void run(String id) {
		}

	}

	static class Overloaded {

		@DistributedLock(key = "'k:' + #idd")
		public void run(String id, int number) {
		}

		@DistributedLock(key = "'k:' + #id")
		public void run(String id) {
		}

	}

	static class NoSpel {

		@DistributedLock(key = "order:#id")
		public void run(String id) {
		}

	}

	static class PrivateMethod {

		@DistributedLock(key = "'k'")
		private void run() {
		}

	}

	static class StaticMethod {

		@DistributedLock(key = "'k'")
		public static void run() {
		}

	}

	static class FinalMethod {

		@DistributedLock(key = "'k'")
		public final void run() {
		}

	}

	static final class FinalClass {

		@DistributedLock(key = "'k'")
		public void run() {
		}

	}

	interface Runs {

		void run(String id);

	}

	static class NotInInterface implements Runs {

		@Override
		public void run(String id) {
		}

		@DistributedLock(key = "'k'")
		public void run(int id) {
		}

	}

	static class FinalInInterface implements Runs {

		@Override
		@DistributedLock(key = "'final:' + #id")
		public final void run(String id) {
		}

	}

	static class SkippedPrimitive {

		@DistributedLock(key = "'k'", whenBusy = WhenBusy.SKIP)
		public int run() {
			return 1;
		}

	}

	static class SkipAndFallback {

		@DistributedLock(key = "'k'", whenBusy = WhenBusy.SKIP, fallback = "other")
		public Optional<String> run() {
			return Optional.empty();
		}

		Optional<String> other() {
			return Optional.empty();
		}

	}

	static class MissingFallback {

		@DistributedLock(key = "'k'", fallback = "other")
		public @Nullable String run(String id) {
			return null;
		}

	}

	static class FallbackWithParentheses {

		@DistributedLock(key = "'k'", fallback = "other()")
		public @Nullable String run(String id) {
			return null;
		}

		@Nullable String other(String id) {
			return null;
		}

	}

	static class NameWithPlaceholder {

		@DistributedLock(key = "'k'", name = "${my.name}")
		public void run() {
		}

	}

	static class WrongFallback {

		@DistributedLock(key = "'k'", fallback = "other")
		public @Nullable String run(String id) {
			return null;
		}

		String other(int id) {
			return "";
		}

	}

	static class NarrowFallback {

		@DistributedLock(key = "'k'", fallback = "other")
		public @Nullable String run(String id) {
			return null;
		}

		String other(String id, LockBusyException busy) {
			return "";
		}

	}

	static class WrongResult {

		@DistributedLock(key = "'k'", fallback = "other")
		public @Nullable String run(String id) {
			return null;
		}

		Integer other(String id) {
			return 1;
		}

	}

	static class UnknownEngine {

		@DistributedLock(key = "'k'", engine = "etcd")
		public void run() {
		}

	}

	static class PlainFuture {

		@DistributedLock(key = "'k'")
		public @Nullable Future<String> run() {
			return null;
		}

	}

	static class OwnFuture {

		@DistributedLock(key = "'k'")
		public @Nullable Stage run() {
			return null;
		}

		static class Stage extends CompletableFuture<String> {

		}

	}

	@DistributedLock(key = "'k:' + #id")
	static class UnknownInClass {

		public void second(String name) {
		}

	}

	static class Durations {

		@DistributedLock(key = "'k'", lease = "${test.lease:}", waitTime = "${test.wait:}", minHold = "${test.min:}",
				maxHold = "${test.max:}")
		public void run() {
		}

	}

	static class Unresolved {

		@DistributedLock(key = "'k'", lease = "${no.such.property}")
		public void run() {
		}

	}

	static class HiddenMistake implements Runs {

		@Override
		@DistributedLock(key = "'k:' + #idd")
		public void run(String id) {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class LazyBeans {

		@Bean
		@Lazy
		UnknownParameter lazy() {
			throw new AssertionError("Made before it was needed");
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class PrototypeBeans {

		@Bean
		@Scope("prototype")
		UnknownParameter prototype() {
			throw new AssertionError("Made before it was needed");
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ScopedBeans {

		@Bean
		@Scope(value = "test", proxyMode = ScopedProxyMode.TARGET_CLASS)
		UnknownParameter scoped() {
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
		Runs hidden() {
			return new HiddenMistake();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class HiddenPrototype {

		@Bean
		@Scope("prototype")
		Runs hidden() {
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
