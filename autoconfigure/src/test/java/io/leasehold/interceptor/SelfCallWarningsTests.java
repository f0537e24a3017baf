package io.leasehold.interceptor;

import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;

import io.leasehold.annotation.DistributedLock;
import io.leasehold.annotation.LeaderOnly;
import io.leasehold.autoconfigure.Leasehold;
import io.leasehold.test.contract.Fault;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Lazy;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the warnings of calls of a bean to itself, which run without the lock.
 */
@ExtendWith(OutputCaptureExtension.class)
class SelfCallWarningsTests {

	/** Its lock is another one. */
	@Test
	void callUnderTheSameKeyOfAnotherEngineIsWarnedOf(CapturedOutput output) {
		start(TwoEngines.class);
		assertThat(output).contains("TwoEngines.inner is called by its own bean in outer, not");
	}

	/**
	 * A call of a bean to itself, in whichever form the class file shows it, and no call
	 * through a proxy.
	 */
	@Fault(132)
	@Test
	void callsOfABeanToItselfAreWarnedOf(CapturedOutput output) {
		start(Shop.class);
		assertThat(output)
			.containsOnlyOnce("Shop.pay(long, String) is called by its own bean in afterReturn, afterWide, byReference,"
					+ " explicit, inArgument, inArray, inCatch, inLambda, inLoop, inSwitch, inTry, inherited, ofSuper,"
					+ " overLines, plain, withChoice, not through the proxy: such a call runs without the lock.");
	}

	@Test
	void classLevelAnnotationsOfOneKeyAreNotWarnedOf(CapturedOutput output) {
		start(WholeClass.class);
		assertThat(output).contains("WholeClass.first is called by its own bean in helper, not");
	}

	/** Another instance may lead in that role. */
	@Test
	void callFromTheLeaderInAnotherRoleIsWarnedOf(CapturedOutput output) {
		Leasehold.runner()
			.withPropertyValues("leasehold.engine=local", "leasehold.leadership.roles=billing,indexer")
			.withUserConfiguration(TwoRoles.class)
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).contains("TwoRoles.index is called by its own bean in bill, not")
			.doesNotContain("TwoRoles.bill is called");
	}

	private static void start(Class<?>... beans) {
		Locked.runner(beans).run((context) -> assertThat(context).hasNotFailed());
	}

	static class TwoRoles {

		@LeaderOnly("billing")
		public void bill() {
			index();
		}

		@LeaderOnly("billing")
		public void all() {
			bill();
		}

		@LeaderOnly("indexer")
		public void index() {
		}

	}

	static class TwoEngines {

		@DistributedLock(key = "'k'")
		public void outer() {
			inner();
		}

		@DistributedLock(key = "'k'", engine = "local")
		public void inner() {
		}

	}

	static class BaseShop {

		@DistributedLock(key = "'order:' + #id")
		public String pay(long id, String by) {
			return by;
		}

		void inherited() {
			pay(1, "me");
		}

	}

	static class Shop extends BaseShop {

		@Autowired
		@Lazy
		@Nullable Shop self;

		@Nullable Object last;

		@Override
		public String pay(long id, String by) {
			return super.pay(id, by);
		}

		@DistributedLock(key = "'order:' + #id")
		public String refund(long id) {
			return pay(id, "me");
		}

		void plain() {
			pay(1, "me");
		}

		void explicit() {
			Shop.this.pay(1, "me");
		}

		Supplier<String> inLambda(long id) {
			return () -> pay(id, "me");
		}

		Payment byReference() {
			return this::pay;
		}

		String inArgument() {
			return String.valueOf(List.of("a", pay(1, "me")));
		}

		void withChoice(boolean big) {
			pay(big ? 1000L : 1L, (big && this.last != null) ? "me" : "you");
		}

		void overLines(List<String> names) {
			pay(names.size() + 5L * names.get(0).length(),
					names.stream().map((name) -> name + "x").findFirst().orElse("me"));
		}

		void inTry() {
			try {
				this.last = "x";
				pay(1, "me");
			}
			finally {
				this.last = null;
			}
		}

		void inCatch() {
			try {
				this.last = "x";
			}
			catch (IllegalStateException ex) {
				pay(1, ex.toString());
			}
		}

		void inLoop(List<Long> ids) {
			for (long id : ids) {
				if (id > 3) {
					continue;
				}
				while (id-- > 0) {
					pay(id, "me");
				}
			}
		}

		void inSwitch(int kind, String text) {
			switch (kind) {
				case 1 -> this.last = text;
				case 2 -> pay(1, switch (text) {
					case "a" -> "b";
					default -> "c";
				});
				default -> throw new IllegalArgumentException();
			}
		}

		String afterReturn(boolean early) {
			if (early) {
				return "early";
			}
			return pay(1, "me");
		}

		void afterWide(double rate, long count) {
			double[] rates = { rate, 2 * rate, count };
			rates[1] += rate;
			long shifted = (count << 3) % 7;
			this.last = new long[][] { { shifted, ~count } };
			pay((shifted > count) ? shifted : count, "me");
		}

		String[] inArray(int i) {
			String[] result = new String[3];
			result[i++] += pay(i, "me");
			return result;
		}

		void throughProxy() {
			this.self.pay(1, "me");
		}

		void ofAnother(Shop other, List<String> names) {
			other.pay(names.size(), names.isEmpty() ? "a" : names.get(0));
		}

		Payment proxyByReference() {
			return this.self::pay;
		}

		UnboundPayment unbound() {
			return Shop::pay;
		}

		void storedProxy() {
			Shop proxy = this.self;
			proxy.pay(1, toString());
		}

		String ofSuper() {
			return super.pay(1, "me");
		}

		String ofAnotherClass(BaseShop other) {
			return other.pay(1, "me");
		}

		String ofAnArray() {
			return ((Shop[]) Objects.requireNonNull(this.last))[0].pay(1, "me");
		}

		String castProxy(Supplier<Object> beans) {
			return ((Shop) beans.get()).pay(1, "me");
		}

		String genericProxy(Supplier<Shop> beans) {
			return beans.get().pay(1, "me");
		}

		String ofNew() {
			return new Shop().pay(1, "me");
		}

		String ofResult() {
			return proxy().pay(1, "me");
		}

		@Nullable Shop proxy() {
			return this.self;
		}

		void sameName() {
			pay(1);
		}

		void ofProxyInChoice(boolean big, Shop other) {
			(big ? this.self : other).pay(1, "me");
		}

		void pay(long id) {
		}

	}

	interface Payment {

		String pay(long id, String by);

	}

	interface UnboundPayment {

		String pay(Shop shop, long id, String by);

	}

	@DistributedLock(key = "'whole'")
	static class WholeClass {

		public void first() {
		}

		public void second() {
			first();
		}

		void helper() {
			first();
		}

	}

}
