package io.leasehold.interceptor;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CountDownLatch;

import io.leasehold.DistributedLocks;
import io.leasehold.HeldLock;
import io.leasehold.LockInterruptedException;
import io.leasehold.LockKey;
import io.leasehold.LockLostException;
import io.leasehold.annotation.DistributedLock;
import io.leasehold.engine.local.LocalLockEngine;
import io.leasehold.test.contract.Fault;
import org.junit.jupiter.api.Test;

import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.test.util.AopTestUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * Methods that lose their lock, fail or are interrupted.
 */
class LostLockedMethodTests extends LockInterceptorFixture {

	/**
	 * Whatever a method throws, errors too: its caller gets that, and the next owner the
	 * lock.
	 */
	@Test
	@Fault(82)
	void bodysExceptionIsThrownUnchangedAndTheLockGivenBack() {
		Locked.runner(Orders.class).run((context) -> {
			for (Throwable failure : List.of(new IllegalStateException("no"), new IOException("no"),
					new StackOverflowError(), new OutOfMemoryError("no"))) {
				assertThatExceptionOfType(Throwable.class)
					.isThrownBy(() -> context.getBean(Orders.class).fail(42, failure))
					.isSameAs(failure);
				assertThat(failure.getSuppressed()).isEmpty();
				assertThat(context.getBean(LocalLockEngine.class).size()).isZero();
			}
		});
	}

	/** A method fails and has lost its lock: the loss does not hide the failure. */
	@Test
	@Fault(82)
	void lossJoinsTheBodysException() {
		Locked.runner(Orders.class).withPropertyValues("leasehold.lease=300ms").run((context) -> {
			IllegalStateException failure = new IllegalStateException("no");
			assertThatIllegalStateException().isThrownBy(() -> context.getBean(Orders.class).pay(42, () -> {
				loseAndNotice(context);
				throw failure;
			})).isSameAs(failure);
			assertThat(failure.getSuppressed()).singleElement().isInstanceOf(LockLostException.class);
		});
	}

	/**
	 * A method ends well under a lock that was lost: that is not passed over in silence.
	 */
	@Test
	@Fault(83)
	void resultOfALostLockIsNotReturned() {
		Locked.runner(Orders.class)
			.withPropertyValues("leasehold.lease=300ms")
			.run((context) -> assertThatExceptionOfType(LockLostException.class)
				.isThrownBy(() -> context.getBean(Orders.class).pay(42, () -> {
					loseAndNotice(context);
					return "done";
				}))
				.withMessageContaining("order:42"));
	}

	/**
	 * A method ends well under a lock that was lost, and its application wants the result
	 * all the same.
	 */
	@Test
	@Fault(83)
	void resultOfALostLockIsReturnedWhenALossOnlyWarns() {
		Locked.runner(Orders.class)
			.withPropertyValues("leasehold.lease=300ms")
			.withPropertyValues("leasehold.on-lost=warn")
			.run((context) -> assertThat(context.getBean(Orders.class).pay(42, () -> {
				loseAndNotice(context);
				return "done";
			})).isEqualTo("done"));
	}

	@Test
	void fixedLeaseThatIsOutlivedIsALoss() {
		Locked.runner(FixedLease.class).run((context) -> {
			FixedLease bean = context.getBean(FixedLease.class);
			assertThatExceptionOfType(LockLostException.class).isThrownBy(bean::run);
			assertThat(AopTestUtils.<FixedLease>getTargetObject(bean).finished).isTrue();
		});
	}

	@Test
	void lossInterruptsTheBodyWhenSoConfigured() {
		Locked.runner(Orders.class)
			.withPropertyValues("leasehold.lease=300ms")
			.withPropertyValues("leasehold.on-lost=interrupt")
			.run((context) -> {
				assertThatExceptionOfType(LockLostException.class)
					.isThrownBy(() -> context.getBean(Orders.class).pay(42, () -> {
						context.getBean(LocalLockEngine.class).lose(new LockKey("order:42"));
						awaitInterrupt();
						return "";
					}));
				assertThat(Thread.currentThread().isInterrupted()).isFalse();
			});
	}

	@Test
	void interruptThatTheBodyDidNotNoticeIsTakenBack() {
		Locked.runner(Orders.class)
			.withPropertyValues("leasehold.lease=300ms")
			.withPropertyValues("leasehold.on-lost=interrupt")
			.run((context) -> {
				assertThatExceptionOfType(LockLostException.class)
					.isThrownBy(() -> context.getBean(Orders.class).pay(42, () -> {
						context.getBean(LocalLockEngine.class).lose(new LockKey("order:42"));
						while (!Thread.currentThread().isInterrupted()) {
							Thread.onSpinWait();
						}
						return "";
					}));
				assertThat(Thread.currentThread().isInterrupted()).isFalse();
			});
	}

	@Test
	void interruptOfOthersStays() {
		Locked.runner(Orders.class).withPropertyValues("leasehold.on-lost=interrupt").run((context) -> {
			assertThat(context.getBean(Orders.class).pay(42, () -> {
				Thread.currentThread().interrupt();
				return "done";
			})).isEqualTo("done");
			assertThat(Thread.interrupted()).isTrue();
		});
	}

	@Test
	void interruptedWaitKeepsTheFlagAndDoesNotRunTheBody() {
		Locked.runner(Orders.class)
			.withPropertyValues("leasehold.wait-time=30s")
			.run((context) -> Locked.whileHeld(context.getBean(DistributedLocks.class), "order:42", () -> {
				Thread.currentThread().interrupt();
				assertThatExceptionOfType(LockInterruptedException.class)
					.isThrownBy(() -> context.getBean(Orders.class).pay(42, LockInterceptorTests::mustNotRun));
				assertThat(Thread.interrupted()).isTrue();
			}));
	}

	private static void loseAndNotice(AssertableApplicationContext context) {
		HeldLock held = HeldLock.current();
		CountDownLatch lost = new CountDownLatch(1);
		held.onLost((loss) -> lost.countDown());
		context.getBean(LocalLockEngine.class).lose(new LockKey(held.key()));
		await().until(() -> lost.getCount() == 0 && !held.isValid());
	}

	private static void awaitInterrupt() {
		try {
			new CountDownLatch(1).await();
		}
		catch (InterruptedException ex) {
			return; // what the test waits for
		}
	}

	static class FixedLease {

		boolean finished;

		@DistributedLock(key = "'fixed'", lease = "50ms", maxHold = "50ms")
		public void run() {
			HeldLock held = HeldLock.current();
			await().until(() -> !held.isValid());
			this.finished = true;
		}

	}

}
