package io.leasehold.interceptor;

import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;

import io.leasehold.DistributedLocks;
import io.leasehold.HeldLock;
import io.leasehold.LockBusyException;
import io.leasehold.LockKeyException;
import io.leasehold.annotation.DistributedLock;
import io.leasehold.annotation.WhenBusy;
import io.leasehold.event.AcquireOutcome;
import io.leasehold.event.LockEvent.AcquireEnded;
import io.leasehold.interceptor.LockInterceptorFixture.Recorder;
import io.leasehold.test.contract.Fault;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for the forms of a lock that an annotation can ask for.
 */
class LockFormsTests {

	@Test
	void methodWithSeveralKeysHoldsAllOfThem() {
		Locked.runner(Cart.class, Recorder.class).run((context) -> {
			DistributedLocks locks = context.getBean(DistributedLocks.class);
			String seen = context.getBean(Cart.class).order(List.of("b", "a", "b"), () -> {
				HeldLock held = HeldLock.current();
				assertThat(Locked.isFree(locks, "item:a")).isFalse();
				assertThat(Locked.isFree(locks, "item:b")).isFalse();
				assertThat(held.fencingToken("item:a")).isNotEqualTo(held.fencingToken("item:b"));
				return held.key();
			});
			assertThat(seen).isEqualTo("item:a,item:b");
			assertThat(Locked.isFree(locks, "item:a")).isTrue();
			assertThat(Locked.isFree(locks, "item:b")).isTrue();
			assertThat(context.getBean(Recorder.class).acquired("Cart.order")).containsExactly("item:a", "item:b");
		});
	}

	@Test
	void oneBusyKeyOfSeveralMeansNone() {
		Locked.runner(Cart.class).run((context) -> {
			DistributedLocks locks = context.getBean(DistributedLocks.class);
			Cart cart = context.getBean(Cart.class);
			Locked.whileHeld(locks, "item:b", () -> {
				assertThatExceptionOfType(LockBusyException.class)
					.isThrownBy(() -> cart.order(List.of("a", "b"), LockFormsTests::mustNotRun))
					.withMessageContaining("item:b");
				assertThat(cart.orderIfFree(List.of("a", "b"))).isNull();
				assertThat(Locked.isFree(locks, "item:a")).isTrue();
			});
			assertThat(cart.orderIfFree(List.of("a", "b"))).isEqualTo("ordered");
		});
	}

	/** Each of two accounts is locked, and a missing one runs nothing. */
	@Fault(128)
	@Test
	void transferLocksBothOfItsAccounts() {
		Locked.runner(Cart.class).run((context) -> {
			Cart cart = context.getBean(Cart.class);
			DistributedLocks locks = context.getBean(DistributedLocks.class);
			assertThat(cart.transfer(7L, 3L, () -> {
				assertThat(Locked.isFree(locks, "account:7")).isFalse();
				assertThat(Locked.isFree(locks, "account:3")).isFalse();
				return HeldLock.current().key();
			})).isEqualTo("account:3,account:7");
			assertThatExceptionOfType(LockKeyException.class)
				.isThrownBy(() -> cart.transfer(7L, null, LockFormsTests::mustNotRun))
				.withMessageContaining("#to is null");
			assertThat(Locked.isFree(locks, "account:7")).isTrue();
		});
	}

	@Test
	void noKeysAtAllAreRefused() {
		Locked.runner(Cart.class, Recorder.class).run((context) -> {
			assertThatExceptionOfType(LockKeyException.class)
				.isThrownBy(() -> context.getBean(Cart.class).order(List.of(), LockFormsTests::mustNotRun))
				.withMessageContaining("Cart.order")
				.withMessageContaining("is empty");
			assertThat(context.getBean(Recorder.class).ended("Cart.order")).extracting(AcquireEnded::outcome)
				.containsExactly(AcquireOutcome.ERROR);
		});
	}

	@Test
	void conditionDecidesWhetherALockIsWanted() {
		Locked.runner(Cart.class, Recorder.class).run((context) -> {
			Cart cart = context.getBean(Cart.class);
			assertThat(cart.pay(101, () -> HeldLock.current().key())).isEqualTo("account");
			assertThatIllegalStateException().isThrownBy(() -> cart.pay(100, () -> HeldLock.current().key()));
			assertThat(context.getBean(Recorder.class).ended("Cart.pay")).extracting(AcquireEnded::outcome)
				.containsExactly(AcquireOutcome.ACQUIRED, AcquireOutcome.NOT_WANTED);
		});
	}

	@Test
	void keyIsNotEvaluatedWhereNoLockIsWanted() {
		Locked.runner(Cart.class)
			.run((context) -> assertThat(context.getBean(Cart.class).find(null)).isEqualTo("nothing"));
	}

	@Test
	void conditionThatIsNeitherTrueNorFalseIsRefused() {
		Locked.runner(Cart.class, Recorder.class).run((context) -> {
			Cart cart = context.getBean(Cart.class);
			for (Object response : new Object[] { "perhaps", new Object() }) {
				assertThatExceptionOfType(LockKeyException.class).isThrownBy(() -> cart.ask(response))
					.withMessageContaining("Cart.ask is neither true nor false");
			}
			assertThatExceptionOfType(LockKeyException.class).isThrownBy(() -> cart.ask(null))
				.withMessageContaining("it is null");
			assertThat(cart.ask("false")).isEqualTo("asked");
			assertThat(context.getBean(Recorder.class).ended("Cart.ask")).extracting(AcquireEnded::outcome)
				.containsExactly(AcquireOutcome.ERROR, AcquireOutcome.ERROR, AcquireOutcome.ERROR,
						AcquireOutcome.NOT_WANTED);
		});
	}

	@ParameterizedTest
	@ValueSource(classes = { UnknownParameter.class, NoExpression.class, Assigning.class })
	void badConditionStopsTheStart(Class<?> bean) {
		Locked.runner(bean)
			.run((context) -> Locked.refusal(context)
				.hasMessageContaining(bean.getSimpleName() + ".run")
				.hasMessageContaining("has condition \""));
	}

	private static String mustNotRun() {
		throw new AssertionError("The body ran without its lock");
	}

	static class Cart {

		@DistributedLock(key = "{'account:' + #from, 'account:' + #to}")
		public String transfer(@Nullable Long from, @Nullable Long to, Supplier<String> body) {
			return body.get();
		}

		@DistributedLock(key = "#items.!['item:' + #this]")
		public String order(Collection<String> items, Supplier<String> body) {
			return body.get();
		}

		@DistributedLock(key = "#items.!['item:' + #this]", whenBusy = WhenBusy.SKIP)
		public @Nullable String orderIfFree(Collection<String> items) {
			return "ordered";
		}

		@DistributedLock(key = "'account'", condition = "#amount > 100")
		public String pay(int amount, Supplier<String> body) {
			return body.get();
		}

		@DistributedLock(key = "'item:' + #id", condition = "#id != null")
		public String find(@Nullable String id) {
			return (id != null) ? id : "nothing";
		}

		@DistributedLock(key = "'asked'", condition = "#answer")
		public String ask(@Nullable Object answer) {
			return "asked";
		}

	}

	static class UnknownParameter {

		@DistributedLock(key = "'k'", condition = "#ammount > 1")
		public void run(int amount) {
		}

	}

	static class NoExpression {

		@DistributedLock(key = "'k'", condition = "#amount >")
		public void run(int amount) {
		}

	}

	static class Assigning {

		@DistributedLock(key = "'k'", condition = "#amount = 1")
		public void run(int amount) {
		}

	}

}
