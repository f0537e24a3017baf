package io.leasehold.interceptor;

import io.leasehold.annotation.DistributedLock;
import io.leasehold.annotation.LeaderOnly;
import io.leasehold.autoconfigure.Leasehold;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Methods that are for a leader and also have a lock of their own: on the method that
 * they override or implement, or on their class.
 */
class LeaderOrLockTests {

	private final ApplicationContextRunner runner = Leasehold.runner()
		.withPropertyValues("leasehold.engine=local", "leasehold.leadership.roles=billing,mail");

	@ParameterizedTest
	@CsvSource({ "LockOverridesLeader, LockOverridesLeader.send, Leader.send",
			"LeaderOverridesLock, Locked.send, LeaderOverridesLock.send",
			"LockImplementsLeader, LockImplementsLeader.send, LeaderContract.send",
			"LeaderImplementsLock, LockContract.send, LeaderImplementsLock.send",
			"InheritsLockForLeaderContract, Locked.send, LeaderContract.send",
			"LockInClassOfLeader, LockInClassOfLeader.send, LockInClassOfLeader",
			"LeaderInLockedClass, LeaderInLockedClass, LeaderInLockedClass.send",
			"LockOverridesClassOfLeader, LockOverridesClassOfLeader.send, ClassOfLeader" })
	void mixtureFailsAtStartup(String type, String locked, String leaders) {
		this.runner.withBean(ClassUtils.resolveClassName(getClass().getName() + "$" + type, null))
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(InvalidLockAnnotationException.class)
				.hasMessageMatching("(?s).*%s.*".formatted(type))
				.message()
				.satisfiesAnyOf(
						(message) -> assertThat(message).contains("@DistributedLock on ", locked + ",",
								"role 'billing'", "@LeaderOnly on ", leaders + ":"),
						(message) -> assertThat(message).contains("several @DistributedLock annotations", locked,
								leaders)));
	}

	/** Each overrides the other as a whole. */
	@Test
	void annotationOfTheSameKindMayBeOverridden() {
		this.runner.withBean(OtherRole.class)
			.withBean(OtherKey.class)
			.run((context) -> assertThat(context).hasNotFailed());
	}

	static class Leader {

		@LeaderOnly("billing")
		public void send() {
		}

	}

	static class Locked {

		@DistributedLock(key = "'invoices'")
		public void send() {
		}

	}

	@LeaderOnly("billing")
	static class ClassOfLeader {

		public void send() {
		}

	}

	interface LeaderContract {

		@LeaderOnly("billing")
		void send();

	}

	interface LockContract {

		@DistributedLock(key = "'invoices'")
		void send();

	}

	static class LockOverridesLeader extends Leader {

		@Override
		@DistributedLock(key = "'invoices'")
		public void send() {
		}

	}

	static class LeaderOverridesLock extends Locked {

		@Override
		@LeaderOnly("billing")
		public void send() {
		}

	}

	static class LockImplementsLeader implements LeaderContract {

		@Override
		@DistributedLock(key = "'invoices'")
		public void send() {
		}

	}

	static class LeaderImplementsLock implements LockContract {

		@Override
		@LeaderOnly("billing")
		public void send() {
		}

	}

	static class InheritsLockForLeaderContract extends Locked implements LeaderContract {

	}

	@LeaderOnly("billing")
	static class LockInClassOfLeader {

		@DistributedLock(key = "'invoices'")
		public void send() {
		}

	}

	@DistributedLock(key = "'invoices'")
	static class LeaderInLockedClass {

		@LeaderOnly("billing")
		public void send() {
		}

	}

	static class LockOverridesClassOfLeader extends ClassOfLeader {

		@Override
		@DistributedLock(key = "'invoices'")
		public void send() {
		}

	}

	static class OtherRole extends Leader {

		@Override
		@LeaderOnly("mail")
		public void send() {
		}

	}

	static class OtherKey extends Locked {

		@Override
		@DistributedLock(key = "'mails'")
		public void send() {
		}

	}

}
