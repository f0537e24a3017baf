package io.leasehold.test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.leasehold.HeldLock;
import io.leasehold.LockKeyException;
import io.leasehold.LockLostException;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link TestLock}.
 */
class TestLockTests {

	@Test
	void lockIsTheCurrentOneWhileItIsOpen() {
		try (TestLock outer = TestLock.hold("order:1")) {
			try (TestLock inner = TestLock.hold("order:2")) {
				assertThat(HeldLock.current()).isSameAs(inner);
				assertThat(inner.fencingToken()).isGreaterThan(outer.fencingToken()).isPositive();
				assertThat(inner.fencingToken("order:2")).isEqualTo(inner.fencingToken());
			}
			assertThat(HeldLock.current()).isSameAs(outer);
			assertThat(outer.key()).isEqualTo("order:1");
			assertThat(outer.isValid()).isTrue();
			assertThat(outer.remaining()).isPositive();
		}
		assertThatIllegalStateException().isThrownBy(HeldLock::current);
	}

	@Test
	void holderLearnsOfALoss() {
		List<LockLostException> losses = new ArrayList<>();
		try (TestLock lock = TestLock.hold("order:1")) {
			lock.onLost(losses::add);
			lock.throwIfLost();
			lock.lose();
			lock.lose();
			lock.onLost(losses::add);
			assertThat(losses).hasSize(2).allSatisfy((loss) -> assertThat(loss.getKey()).isEqualTo("order:1"));
			assertThat(lock.isValid()).isFalse();
			assertThat(lock.remaining()).isEqualTo(Duration.ZERO);
			assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::throwIfLost);
		}
	}

	@Test
	void holdTimeIsMovedWhileTheLockIsHeld() {
		TestLock lock = TestLock.hold("order:1");
		try (lock) {
			lock.extend(Duration.ofSeconds(2));
			assertThat(lock.remaining()).hasSeconds(2);
			lock.extend(Duration.ofHours(2));
			assertThat(lock.remaining()).hasSeconds(30);
			assertThatIllegalArgumentException().isThrownBy(() -> lock.extend(Duration.ZERO))
				.withMessageStartingWith("maxHold must be between");
			lock.lose();
			assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> lock.extend(Duration.ofHours(1)));
		}
		assertThatIllegalStateException().isThrownBy(() -> lock.extend(Duration.ofHours(1)));
	}

	@Test
	void methodCanEndWhenItsApplicationStops() {
		try (TestLock lock = TestLock.hold("order:1")) {
			assertThat(HeldLock.current().isStopping()).isFalse();
			lock.stop();
			assertThat(HeldLock.current().isStopping()).isTrue();
			assertThat(lock.isValid()).isTrue();
		}
	}

	@Test
	void closedLockIsNotLost() {
		List<LockLostException> losses = new ArrayList<>();
		TestLock lock = TestLock.hold("order:1");
		lock.onLost(losses::add);
		lock.close();
		lock.close();
		lock.lose();
		lock.onLost(losses::add);
		lock.throwIfLost();
		assertThat(lock.isValid()).isFalse();
		assertThat(losses).isEmpty();
	}

	@Test
	void keyIsChecked() {
		assertThatExceptionOfType(LockKeyException.class).isThrownBy(() -> TestLock.hold(" "));
		assertThatIllegalStateException().isThrownBy(HeldLock::current);
	}

}
