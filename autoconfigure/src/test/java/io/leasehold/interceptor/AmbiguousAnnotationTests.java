package io.leasehold.interceptor;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

import io.leasehold.annotation.DistributedLock;
import io.leasehold.interceptor.LockInterceptorFixture.Recorder;
import io.leasehold.test.contract.Fault;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for methods to which several annotations apply: the most specific declaration
 * overrides others, and the application does not start if there is none.
 */
@Fault(169)
class AmbiguousAnnotationTests {

	@ParameterizedTest
	@ValueSource(classes = { TwoComposed.class, DirectAndComposed.class, TwoInterfaces.class, TwoComposedOnType.class,
			TwoAnnotatedInterfaces.class, SuperclassAndInterface.class, DoublyComposed.class })
	void severalAnnotationsThatApplyEquallyAreRejected(Class<? extends Work> type) {
		Locked.runner(type)
			.run((context) -> Locked.refusal(context)
				.hasMessageContaining("several @DistributedLock annotations")
				.hasMessageContaining(".run"));
	}

	@ParameterizedTest
	@ValueSource(classes = { ClassOverInterfaces.class, ComposedOverDirect.class, MethodOverType.class,
			SubInterface.class, TypeOverInterface.class })
	void mostSpecificAnnotationApplies(Class<? extends Work> type) {
		Locked.runner(type, Recorder.class).run((context) -> {
			context.getBean(Work.class).run();
			assertThat(context.getBean(Recorder.class).keys).containsExactly("own");
		});
	}

	/** The compiler copies annotations to bridge methods. */
	@ParameterizedTest
	@ValueSource(
			classes = { Annotated.class, OverridesAnnotated.class, ImplementsAnnotated.class, InheritsUnrelated.class })
	void annotationOfABridgeMethodIsThatOfItsMethod(Class<? extends Result<String>> type) {
		Locked.runner(type, Recorder.class).run((context) -> {
			context.getBean(Result.class).result(1);
			assertThat(context.getBean(Recorder.class).keys).containsExactly("own");
		});
	}

	@Retention(RetentionPolicy.RUNTIME)
	@DistributedLock(key = "'order'")
	@interface OrderLock {

	}

	@Retention(RetentionPolicy.RUNTIME)
	@DistributedLock(key = "'customer'")
	@interface CustomerLock {

	}

	@Retention(RetentionPolicy.RUNTIME)
	@DistributedLock(key = "'own'")
	@interface OwnLock {

	}

	@Retention(RetentionPolicy.RUNTIME)
	@OrderLock
	@CustomerLock
	@interface OrderAndCustomerLock {

	}

	interface Work {

		void run();

	}

	interface Orders extends Work {

		@Override
		@DistributedLock(key = "'order'")
		void run();

	}

	interface Customers extends Work {

		@Override
		@DistributedLock(key = "'order'")
		void run();

	}

	interface OwnOrders extends Orders {

		@Override
		@DistributedLock(key = "'own'")
		void run();

	}

	@DistributedLock(key = "'order'")
	interface AllOrders extends Work {

		@Override
		void run();

	}

	@DistributedLock(key = "'customer'")
	interface AllCustomers extends Work {

		@Override
		void run();

	}

	static class TwoComposed implements Work {

		@Override
		@OrderLock
		@CustomerLock
		public void run() {
		}

	}

	static class DirectAndComposed implements Work {

		@Override
		@OrderLock
		@DistributedLock(key = "'order'")
		public void run() {
		}

	}

	static class DoublyComposed implements Work {

		@Override
		@OrderAndCustomerLock
		public void run() {
		}

	}

	static class TwoInterfaces implements Orders, Customers {

		@Override
		public void run() {
		}

	}

	@OrderLock
	@CustomerLock
	static class TwoComposedOnType implements Work {

		@Override
		public void run() {
		}

	}

	static class TwoAnnotatedInterfaces implements AllOrders, AllCustomers {

		@Override
		public void run() {
		}

	}

	static class Superclass {

		@OrderLock
		public void run() {
		}

	}

	static class SuperclassAndInterface extends Superclass implements Customers {

	}

	static class ClassOverInterfaces implements Orders, Customers {

		@Override
		@DistributedLock(key = "'own'")
		public void run() {
		}

	}

	static class ComposedOverDirect implements Orders {

		@Override
		@OwnLock
		public void run() {
		}

	}

	@OrderLock
	@CustomerLock
	static class MethodOverType implements AllOrders, AllCustomers {

		@Override
		@OwnLock
		public void run() {
		}

	}

	static class SubInterface implements Orders, OwnOrders {

		@Override
		public void run() {
		}

	}

	@OwnLock
	static class TypeOverInterface implements AllOrders, AllCustomers {

		@Override
		public void run() {
		}

	}

	interface Result<T> {

		T result(long id);

	}

	interface OwnResult extends Result<String> {

		@Override
		@OwnLock
		String result(long id);

	}

	static class Annotated implements Result<String> {

		@Override
		@OwnLock
		public String result(long id) {
			return "";
		}

	}

	static class OverridesAnnotated extends Annotated {

		@Override
		public String result(long id) {
			return "";
		}

	}

	static class ImplementsAnnotated implements OwnResult {

		@Override
		public String result(long id) {
			return "";
		}

	}

	static class Unrelated {

		public String result(long id) {
			return "";
		}

	}

	static class InheritsUnrelated extends Unrelated implements OwnResult {

	}

}
