package io.leasehold.interceptor;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

import io.leasehold.DistributedLocks;
import io.leasehold.LockException;
import io.leasehold.annotation.DistributedLock;
import io.leasehold.annotation.LeaderOnly;
import io.leasehold.annotation.WhenBusy;
import io.leasehold.autoconfigure.leadership.LeaseholdLeadershipAutoConfiguration;
import org.aopalliance.intercept.MethodInterceptor;
import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.annotation.Around;
import org.aspectj.lang.annotation.Aspect;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.aop.Advisor;
import org.springframework.aop.framework.autoproxy.DefaultAdvisorAutoProxyCreator;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.annotation.AnnotationMatchingPointcut;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.resilience.annotation.ConcurrencyLimit;
import org.springframework.scheduling.annotation.Async;
import org.springframework.transaction.annotation.Transactional;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * A table of fallbacks, by their form and the advice that they carry: advice inside the
 * lock applies to a fallback as it would to its method, and a lock of its own is
 * rejected, because a fallback runs without a lock.
 */
class FallbackAdviceTests {

	/** What a fallback has written before it fails would be committed row by row. */
	@ParameterizedTest
	@EnumSource
	void failedFallbackIsRolledBack(Form form) {
		Locked.runner(LockAndOtherAdviceTests.Transactions.class, Rows.class, form.bean)
			.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class))
			.withPropertyValues("spring.aop.proxy-target-class=" + form.ofClass)
			.run((context) -> Locked.whileHeld(context.getBean(DistributedLocks.class), "k", () -> {
				Shop shop = context.getBean(Shop.class);
				Rows rows = context.getBean(Rows.class);
				assertThatIllegalStateException().isThrownBy(() -> shop.pay(-1)).withMessage("fails");
				assertThat(rows.count()).as("rows of a failed fallback").isZero();
				shop.pay(1);
				assertThat(rows.count()).as("rows of a fallback").isOne();
			}));
	}

	/** Advice around a fallback of each kind of result. */
	@ParameterizedTest
	@ValueSource(strings = { "plain", "stage", "mono", "flux", "any" })
	void adviceInsideTheLockAppliesToFallbacksOfEachKind(String kind) {
		Locked.runner(Marking.class, Kinds.class)
			.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class))
			.run((context) -> Locked.whileHeld(context.getBean(DistributedLocks.class), "k", () -> {
				Kinds kinds = context.getBean(Kinds.class);
				Object result = switch (kind) {
					case "plain" -> kinds.plain();
					case "stage" -> kinds.stage().get();
					case "mono" -> kinds.mono().block();
					case "flux" -> kinds.flux().blockFirst();
					default -> kinds.any();
				};
				assertThat(result).isEqualTo("instead");
				assertThat(context.getBean(Marking.class).inside).containsExactly(kind + "Instead");
			}));
	}

	/**
	 * Advice outside the lock surrounds the call already. A second permit of its limit
	 * would never come.
	 */
	@Test
	void adviceOutsideTheLockAppliesOnce() {
		Locked.runner(LockAndOtherAdviceTests.Resilient.class, Marking.class, Limited.class)
			.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class))
			.run((context) -> Locked.whileHeld(context.getBean(DistributedLocks.class), "k", () -> {
				assertThat(context.getBean(Limited.class).run()).isEqualTo("instead");
				assertThat(context.getBean(Marking.class).outside).containsExactly("run");
				assertThat(context.getBean(Marking.class).inside).containsExactly("instead");
			}));
	}

	@Test
	void asynchronousMethodCallsItsFallbackInTheSameThread() {
		Locked.runner(LockAndOtherAdviceTests.Asynchronous.class, InWorker.class)
			.run((context) -> Locked.whileHeld(context.getBean(DistributedLocks.class), "k", () -> {
				assertThat(context.getBean(InWorker.class).run().get()).isNotEqualTo(Thread.currentThread().getName())
					.startsWith("worker-");
			}));
	}

	@Test
	void aspectSeesTheFallbackAsItsJoinPoint() {
		Locked.runner(Recording.class, Audited.class)
			.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class))
			.run((context) -> Locked.whileHeld(context.getBean(DistributedLocks.class), "k", () -> {
				assertThat(context.getBean(Audited.class).run("a")).isEqualTo("around instead a");
				assertThat(context.getBean(Recording.class).seen).containsExactly("instead(a)");
			}));
	}

	/** The inner proxy does not override these methods, and has no fields of its own. */
	@Test
	void fallbacksRunOnTheBeanBehindTwoProxies() {
		Locked.runner(Unreachable.class, DefaultAdvisorAutoProxyCreator.class)
			.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class))
			.run((context) -> Locked.whileHeld(context.getBean(DistributedLocks.class), "k", () -> {
				assertThat(context.getBean(Unreachable.class).run()).isEqualTo("of the bean");
				assertThat(context.getBean(Unreachable.class).other()).isEqualTo("of the bean");
			}));
	}

	/** The library would call it without that lock. */
	@ParameterizedTest
	@CsvSource({ "LockedFallback, LockedFallback.instead", "ComposedFallback, ComposedFallback.instead",
			"LeadersFallback, LeadersFallback.instead", "InheritedFallback, LockedBase.instead",
			"OverridingFallback, LockedBase.instead", "ContractFallback, Contract.instead", "Itself, Itself.run",
			"CoveredFallback, CoveredFallback", "OfLeaders, OfLeaders.instead",
			"LockedStageFallback, LockedStageFallback.instead" })
	void fallbackWithALockOfItsOwnIsRejected(String type, String place) throws Exception {
		Locked.runner(Class.forName(getClass().getName() + "$" + type))
			.withConfiguration(
					AutoConfigurations.of(AopAutoConfiguration.class, LeaseholdLeadershipAutoConfiguration.class))
			.withPropertyValues("leasehold.leadership.roles=r")
			.run((context) -> Locked.refusal(context)
				.hasMessageContaining("which has a lock of its own")
				.hasMessageContaining(place)
				.hasMessageContaining("another bean"));
	}

	/** Otherwise, a class with an annotation of its own could have no fallback. */
	@Test
	void fallbackThatTheAnnotationOfItsClassNamesRunsWithoutThatLock() {
		Locked.runner(LockedClass.class)
			.run((context) -> Locked.whileHeld(context.getBean(DistributedLocks.class), "k", () -> {
				assertThat(context.getBean(LockedClass.class).run()).isEqualTo("instead");
				assertThat(context.getBean(LockedClass.class).instead()).isEqualTo("instead");
			}));
	}

	enum Form {

		PUBLIC(OwnPublic.class, true), PACKAGE_PRIVATE(OwnPackagePrivate.class, true), PRIVATE(OwnPrivate.class, true),
		INHERITED(Inherited.class, true), OF_INTERFACE(OfInterface.class, true), ON_CLASS(OnClass.class, true),
		PRIVATE_IN_CLASS(PrivateInClass.class, true), COMPOSED(Composed.class, true),
		LOCKED_CLASS(LockedShop.class, true), WITH_REASON(WithReason.class, true), JDK_PROXY(OwnPublic.class, false),
		JDK_PROXY_OF_INTERFACE(OfInterface.class, false), PRIVATE_BEHIND_JDK_PROXY(OwnPrivate.class, false);

		private final Class<?> bean;

		private final boolean ofClass;

		Form(Class<?> bean, boolean ofClass) {
			this.bean = bean;
			this.ofClass = ofClass;
		}

	}

	static class Rows {

		private final JdbcTemplate jdbc;

		Rows(javax.sql.DataSource dataSource) {
			this.jdbc = new JdbcTemplate(dataSource);
			this.jdbc.execute("CREATE TABLE sold (id INT)");
		}

		/** A negative number fails after it was written. */
		void write(int id) {
			this.jdbc.update("INSERT INTO sold VALUES (?)", id);
			if (id < 0) {
				throw new IllegalStateException("fails");
			}
		}

		int count() {
			Integer count = this.jdbc.queryForObject("SELECT COUNT(*) FROM sold", Integer.class);
			return (count != null) ? count : -1;
		}

	}

	public interface Shop {

		void pay(int id);

	}

	public abstract static class Base implements Shop {

		final Rows rows;

		Base(Rows rows) {
			this.rows = rows;
		}

		@Transactional
		protected void inherited(int id) {
			this.rows.write(id);
		}

	}

	static class OwnPublic extends Base {

		OwnPublic(Rows rows) {
			super(rows);
		}

		@Override
		@DistributedLock(key = "'k'", fallback = "later")
		public void pay(int id) {
		}

		@Transactional
		public void later(int id) {
			this.rows.write(id);
		}

	}

	static class OwnPackagePrivate extends Base {

		OwnPackagePrivate(Rows rows) {
			super(rows);
		}

		@Override
		@DistributedLock(key = "'k'", fallback = "later")
		public void pay(int id) {
		}

		@Transactional
		void later(int id) {
			this.rows.write(id);
		}

	}

	static class OwnPrivate extends Base {

		OwnPrivate(Rows rows) {
			super(rows);
		}

		@Override
		@DistributedLock(key = "'k'", fallback = "later")
		public void pay(int id) {
		}

		@Transactional
		private void later(int id) {
			this.rows.write(id);
		}

	}

	static class WithReason extends Base {

		WithReason(Rows rows) {
			super(rows);
		}

		@Override
		@DistributedLock(key = "'k'", fallback = "later")
		public void pay(int id) {
		}

		@Transactional
		void later(int id, LockException reason) {
			this.rows.write(id);
		}

	}

	static class Inherited extends Base {

		Inherited(Rows rows) {
			super(rows);
		}

		@Override
		@DistributedLock(key = "'k'", fallback = "inherited")
		public void pay(int id) {
		}

	}

	public interface WithDefault extends Shop {

		Rows rows();

		@Transactional
		default void later(int id) {
			rows().write(id);
		}

	}

	static class OfInterface extends Base implements WithDefault {

		OfInterface(Rows rows) {
			super(rows);
		}

		@Override
		public Rows rows() {
			return this.rows;
		}

		@Override
		@DistributedLock(key = "'k'", fallback = "later")
		public void pay(int id) {
		}

	}

	@Transactional
	static class OnClass extends Base {

		OnClass(Rows rows) {
			super(rows);
		}

		@Override
		@DistributedLock(key = "'k'", fallback = "later")
		public void pay(int id) {
		}

		public void later(int id) {
			this.rows.write(id);
		}

	}

	@Transactional
	static class PrivateInClass extends Base {

		PrivateInClass(Rows rows) {
			super(rows);
		}

		@Override
		@DistributedLock(key = "'k'", fallback = "later")
		public void pay(int id) {
		}

		private void later(int id) {
			this.rows.write(id);
		}

	}

	@Target(ElementType.METHOD)
	@Retention(RetentionPolicy.RUNTIME)
	@Transactional
	@interface Atomic {

	}

	static class Composed extends Base {

		Composed(Rows rows) {
			super(rows);
		}

		@Override
		@DistributedLock(key = "'k'", fallback = "later")
		public void pay(int id) {
		}

		@Atomic
		void later(int id) {
			this.rows.write(id);
		}

	}

	@DistributedLock(key = "'k'", fallback = "later")
	static class LockedShop extends Base {

		LockedShop(Rows rows) {
			super(rows);
		}

		@Override
		public void pay(int id) {
		}

		@Transactional
		public void later(int id) {
			this.rows.write(id);
		}

	}

	@Target({ ElementType.METHOD, ElementType.TYPE })
	@Retention(RetentionPolicy.RUNTIME)
	@interface Marked {

	}

	@Configuration(proxyBeanMethods = false)
	static class Marking {

		final List<String> inside = new CopyOnWriteArrayList<>();

		final List<String> outside = new CopyOnWriteArrayList<>();

		@Bean
		Advisor insideTheLock() {
			return advisor(this.inside, Ordered.LOWEST_PRECEDENCE,
					AnnotationMatchingPointcut.forMethodAnnotation(Marked.class));
		}

		@Bean
		Advisor outsideTheLock() {
			return advisor(this.outside, 0, AnnotationMatchingPointcut.forClassAnnotation(Marked.class));
		}

		private static Advisor advisor(List<String> seen, int order, AnnotationMatchingPointcut pointcut) {
			DefaultPointcutAdvisor advisor = new DefaultPointcutAdvisor(pointcut, (MethodInterceptor) (invocation) -> {
				seen.add(invocation.getMethod().getName());
				return invocation.proceed();
			});
			advisor.setOrder(order);
			return advisor;
		}

	}

	static class Kinds {

		@DistributedLock(key = "'k'", fallback = "plainInstead")
		public String plain() {
			return "";
		}

		@Marked
		String plainInstead() {
			return "instead";
		}

		@DistributedLock(key = "'k'", fallback = "stageInstead")
		public CompletableFuture<String> stage() {
			return CompletableFuture.completedFuture("");
		}

		@Marked
		CompletableFuture<String> stageInstead() {
			return CompletableFuture.completedFuture("instead");
		}

		@DistributedLock(key = "'k'", fallback = "monoInstead")
		public Mono<String> mono() {
			return Mono.just("");
		}

		@Marked
		Mono<String> monoInstead() {
			return Mono.just("instead");
		}

		@DistributedLock(key = "'k'", fallback = "fluxInstead")
		public Flux<String> flux() {
			return Flux.just("");
		}

		@Marked
		private Flux<String> fluxInstead(LockException reason) {
			return Flux.just("instead");
		}

		@DistributedLock(key = "'k'", fallback = "anyInstead")
		public Object any() {
			return "";
		}

		@Marked
		Object anyInstead() {
			return "instead";
		}

	}

	@Marked
	@ConcurrencyLimit(1)
	static class Limited {

		@DistributedLock(key = "'k'", fallback = "instead")
		public String run() {
			return "";
		}

		@Marked
		public String instead() {
			return "instead";
		}

	}

	@Async
	static class InWorker {

		@DistributedLock(key = "'k'", fallback = "instead")
		public CompletableFuture<String> run() {
			return CompletableFuture.completedFuture("");
		}

		public CompletableFuture<String> instead() {
			return CompletableFuture.completedFuture(Thread.currentThread().getName());
		}

	}

	static class Unreachable {

		private final String name = new String("of the bean");

		@DistributedLock(key = "'k'", fallback = "instead")
		public String run() {
			return "";
		}

		private String instead() {
			return this.name;
		}

		@DistributedLock(key = "'k'", fallback = "lastly")
		public String other() {
			return "";
		}

		final String lastly() {
			return this.name;
		}

	}

	@Aspect
	static class Recording {

		final List<String> seen = new CopyOnWriteArrayList<>();

		@Around("execution(* io.leasehold.interceptor.FallbackAdviceTests.Audited.*(..)) && args(text,..)")
		Object record(ProceedingJoinPoint call, String text) throws Throwable {
			this.seen.add(call.getSignature().getName() + "(" + text + ")");
			return "around " + call.proceed();
		}

	}

	static class Audited {

		@DistributedLock(key = "'k'", fallback = "instead")
		public String run(String text) {
			return "";
		}

		String instead(String text, LockException reason) {
			return "instead " + text;
		}

	}

	static class LockedFallback {

		@DistributedLock(key = "'k'", fallback = "instead")
		public void run() {
		}

		@DistributedLock(key = "'other'")
		public void instead() {
		}

	}

	static class LockedStageFallback {

		@DistributedLock(key = "'k'", fallback = "instead")
		public CompletableFuture<String> run() {
			return CompletableFuture.completedFuture("");
		}

		@DistributedLock(key = "'other'")
		CompletableFuture<String> instead(LockException reason) {
			return CompletableFuture.completedFuture("");
		}

	}

	@Target(ElementType.METHOD)
	@Retention(RetentionPolicy.RUNTIME)
	@DistributedLock(key = "'other'")
	@interface OtherLock {

	}

	static class ComposedFallback {

		@DistributedLock(key = "'k'", fallback = "instead")
		public void run() {
		}

		@OtherLock
		public void instead() {
		}

	}

	static class LeadersFallback {

		@DistributedLock(key = "'k'", fallback = "instead")
		public void run() {
		}

		@LeaderOnly("r")
		public void instead() {
		}

	}

	static class OfLeaders {

		@LeaderOnly(value = "r", fallback = "instead")
		public void run() {
		}

		@DistributedLock(key = "'other'", whenBusy = WhenBusy.SKIP)
		public void instead() {
		}

	}

	abstract static class LockedBase {

		@DistributedLock(key = "'other'")
		public void instead() {
		}

	}

	static class InheritedFallback extends LockedBase {

		@DistributedLock(key = "'k'", fallback = "instead")
		public void run() {
		}

	}

	static class OverridingFallback extends LockedBase {

		@DistributedLock(key = "'k'", fallback = "instead")
		public void run() {
		}

		@Override
		public void instead() {
		}

	}

	interface Contract {

		@DistributedLock(key = "'other'")
		void instead();

	}

	static class ContractFallback implements Contract {

		@DistributedLock(key = "'k'", fallback = "instead")
		public void run() {
		}

		@Override
		public void instead() {
		}

	}

	static class Itself {

		@DistributedLock(key = "'k'", fallback = "run")
		public void run() {
		}

	}

	@DistributedLock(key = "'other'")
	static class CoveredFallback {

		@DistributedLock(key = "'k'", fallback = "instead")
		public void run() {
		}

		public void instead() {
		}

	}

	@DistributedLock(key = "'k'", fallback = "instead")
	static class LockedClass {

		public String run() {
			return "";
		}

		public String instead() {
			return "instead";
		}

	}

}
