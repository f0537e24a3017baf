package io.leasehold.interceptor;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;

import io.leasehold.DistributedLocks;
import io.leasehold.HeldLock;
import io.leasehold.LockKeyException;
import io.leasehold.annotation.DistributedLock;
import io.leasehold.engine.local.LocalLockEngine;
import io.leasehold.event.AcquireOutcome;
import io.leasehold.event.LockEvent.AcquireEnded;
import io.leasehold.test.contract.Fault;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.support.AopUtils;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.core.annotation.AliasFor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link LockInterceptor}.
 */
class LockInterceptorTests extends LockInterceptorFixture {

	@Test
	void methodRunsUnderItsLock() {
		Locked.runner(Orders.class, Recorder.class).run((context) -> {
			DistributedLocks locks = context.getBean(DistributedLocks.class);
			Orders orders = context.getBean(Orders.class);
			String seen = orders.pay(42, () -> {
				assertThat(Locked.isFree(locks, "order:42")).isFalse();
				assertThat(Locked.isFree(locks, "order:43")).isTrue();
				HeldLock held = HeldLock.current();
				assertThat(held.isValid()).isTrue();
				assertThat(held.fencingToken()).isPositive();
				return held.key();
			});
			assertThat(seen).isEqualTo("order:42");
			assertThat(Locked.isFree(locks, "order:42")).isTrue();
			assertThat(context.getBean(Recorder.class).acquired("Orders.pay")).hasSize(1);
			assertThatIllegalStateException().isThrownBy(HeldLock::current);
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "auto=true,class=true", "auto=true,class=false", "auto=false,class=true" })
	void interceptsWhateverMakesTheProxies(String kind) {
		for (String hidden : List.of("", "org.aspectj")) {
			Locked.runner(PricesImpl.class, Recorder.class)
				.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class))
				.withClassLoader(hidden.isEmpty() ? getClass().getClassLoader() : new FilteredClassLoader(hidden))
				.withPropertyValues("spring.aop.auto=" + kind.contains("auto=true"),
						"spring.aop.proxy-target-class=" + kind.contains("class=true"))
				.run((context) -> {
					context.getBean(Prices.class).update("eu");
					assertThat(context.getBean(Recorder.class).acquired("PricesImpl.update"))
						.containsExactly("price:eu");
				});
		}
	}

	@Test
	void annotationOfAnInterfaceMethodCountsForJdkProxies() {
		Locked.runner(PricesImpl.class, Recorder.class).run((context) -> {
			Prices prices = context.getBean(Prices.class);
			assertThat(AopUtils.isJdkDynamicProxy(prices)).isTrue();
			prices.update("eu");
			assertThat(context.getBean(Recorder.class).acquired("PricesImpl.update")).containsExactly("price:eu");
		});
	}

	@Test
	void annotationOfAnInterfaceIsForItsMethods() {
		Locked.runner(AccountsImpl.class, Recorder.class).run((context) -> {
			((Accounts) context.getBean("lockInterceptorTests.AccountsImpl")).open("a");
			((Unlocked) context.getBean("lockInterceptorTests.AccountsImpl")).other("b");
			assertThat(context.getBean(Recorder.class).keys).containsExactly("account:a");
		});
	}

	@Test
	void annotationOfAClassIsForItsPublicMethodsUnlessTheyHaveTheirOwn() {
		Locked.runner(Stock.class, Recorder.class).run((context) -> {
			Stock stock = context.getBean(Stock.class);
			stock.add("x");
			stock.remove("y");
			stock.internal("z");
			assertThat(stock.toString()).isEqualTo("stock");
			assertThat(context.getBean(Recorder.class).keys).containsExactly("stock:x", "removal:y");
		});
	}

	@Test
	void composedAnnotationPassesItsAttributesOn() {
		Locked.runner(Composed.class, Recorder.class).run((context) -> {
			context.getBean(Composed.class).run("7");
			assertThat(context.getBean(Recorder.class).acquired("composed")).containsExactly("composed:7");
		});
	}

	@Test
	void attributesBecomeOptions() {
		Locked.runner(Full.class).withPropertyValues("my.lease=20s").run((context) -> {
			LockOperation operation = operation(context, Full.class, "all");
			assertThat(operation.options().name()).isEqualTo("full");
			assertThat(operation.options().engine()).isEqualTo("local");
			assertThat(operation.options().lease()).isEqualTo(Duration.ofSeconds(20));
			assertThat(operation.options().waitTime()).isEqualTo(Duration.ofMillis(500));
			assertThat(operation.options().minHold()).isEqualTo(Duration.ofSeconds(1));
			assertThat(operation.options().maxHold()).isEqualTo(Duration.ofMinutes(1));
		});
	}

	@Test
	void absentAttributesAreThoseOfTheConfiguration() {
		Locked.runner(Orders.class)
			.withPropertyValues("leasehold.lease=17s", "leasehold.wait-time=3s")
			.run((context) -> {
				LockOperation operation = operation(context, Orders.class, "pay");
				assertThat(operation.options().name()).isEqualTo("Orders.pay");
				assertThat(operation.options().lease()).isEqualTo(Duration.ofSeconds(17));
				assertThat(operation.options().waitTime()).isEqualTo(Duration.ofSeconds(3));
			});
	}

	/** A key with a null is refused before the method runs. */
	@Fault(72)
	@Test
	void nullInTheKeyIsRefusedBeforeTheBody() {
		Locked.runner(Orders.class, Recorder.class).run((context) -> {
			assertThatExceptionOfType(LockKeyException.class)
				.isThrownBy(() -> context.getBean(Orders.class).pay(null, LockInterceptorTests::mustNotRun))
				.withMessageContaining("Orders.pay")
				.withMessageContaining("#id is null");
			assertThat(context.getBean(Recorder.class).ended("Orders.pay")).extracting(AcquireEnded::outcome)
				.containsExactly(AcquireOutcome.ERROR);
			assertThat(context.getBean(LocalLockEngine.class).size()).isZero();
		});
	}

	/**
	 * A method that calls another under the same key does not wait for itself, and does
	 * not lose the lock to the end of the inner one.
	 */
	@Test
	@Fault(86)
	void nestedCallReentersAndOnlyTheOutermostReleases() {
		Locked.runner(Orders.class, Recorder.class).run((context) -> {
			Orders orders = context.getBean(Orders.class);
			DistributedLocks locks = context.getBean(DistributedLocks.class);
			orders.pay(42, () -> {
				long outer = HeldLock.current().fencingToken();
				orders.pay(42, () -> {
					assertThat(HeldLock.current().fencingToken()).isEqualTo(outer);
					return "";
				});
				assertThat(Locked.isFree(locks, "order:42")).isFalse();
				return "";
			});
			assertThat(Locked.isFree(locks, "order:42")).isTrue();
			assertThat(context.getBean(Recorder.class).ended("Orders.pay")).extracting(AcquireEnded::outcome)
				.containsExactly(AcquireOutcome.ACQUIRED, AcquireOutcome.REENTERED);
		});
	}

	/**
	 * What no proxy sees cannot be guarded nor be found at the start: the manual says so.
	 */
	@Test
	@Fault(84)
	void callOfABeanToItselfIsNotGuarded() {
		Locked.runner(Orders.class, Recorder.class).run((context) -> {
			context.getBean(Orders.class).payByItself(42);
			assertThat(context.getBean(Recorder.class).keys).isEmpty();
		});
	}

	@Test
	void adviceRefusesACallWithoutAnAnnotation() {
		Locked.runner(Orders.class).run((context) -> {
			ProxyFactory factory = new ProxyFactory((Supplier<String>) LockInterceptorFixture::mustNotRun);
			factory.addAdvice(context.getBean(LockInterceptor.class));
			Supplier<?> proxy = (Supplier<?>) factory.getProxy();
			assertThatIllegalStateException().isThrownBy(proxy::get).withMessageContaining("Supplier.get()");
		});
	}

	@Test
	void methodsRunWithoutLocksWhenSwitchedOff() {
		Locked.runner(Orders.class)
			.withPropertyValues("leasehold.enabled=false", "leasehold.local.enabled=true")
			.run((context) -> assertThat(AopUtils.isAopProxy(context.getBean(Orders.class))).isFalse());
	}

	private static LockOperation operation(AssertableApplicationContext context, Class<?> type, String method) {
		return Arrays.stream(type.getDeclaredMethods())
			.filter((candidate) -> candidate.getName().equals(method))
			.map((found) -> context.getBean(LockOperationSource.class).find(found, type))
			.findFirst()
			.orElseThrow();
	}

	public interface Prices {

		@DistributedLock(key = "'price:' + #region")
		void update(String region);

	}

	public static class PricesImpl implements Prices {

		@Override
		public void update(String area) {
		}

	}

	@DistributedLock(key = "'account:' + #id")
	interface Accounts {

		void open(String id);

	}

	interface Unlocked {

		void other(String name);

	}

	static class AccountsImpl implements Accounts, Unlocked {

		@Override
		public void open(String number) {
		}

		@Override
		public void other(String name) {
		}

	}

	@DistributedLock(key = "'stock:' + #item")
	static class Stock {

		public void add(String item) {
		}

		@DistributedLock(key = "'removal:' + #thing")
		public void remove(String thing) {
		}

		void internal(String whatever) {
		}

		@Override
		public String toString() {
			return "stock";
		}

	}

	@Retention(RetentionPolicy.RUNTIME)
	@DistributedLock(key = "", name = "composed")
	@interface ExclusiveById {

		@AliasFor(annotation = DistributedLock.class, attribute = "key")
		String value();

	}

	static class Composed {

		@ExclusiveById("'composed:' + #p0")
		public void run(String id) {
		}

	}

	static class Full {

		@DistributedLock(key = "'full'", name = "full", lease = "${my.lease}", waitTime = "500ms", engine = "local",
				minHold = "PT1S", maxHold = "1m")
		public void all() {
		}

	}

}
