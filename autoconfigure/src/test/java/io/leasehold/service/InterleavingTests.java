package io.leasehold.service;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.leasehold.HeldLock;
import io.leasehold.HeldLockScope;
import io.leasehold.LockInterruptedException;
import io.leasehold.LockLostException;
import io.leasehold.LossCause;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.service.gate.Grant;
import io.leasehold.service.gate.Hold;
import io.leasehold.service.gate.KeyGate;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What threads do to each other at a lock, tried by Lincheck in many orders. How many:
 * {@code -Dleasehold.interleavings=5000}. {@link InterleavingsAreProvenLongTests} shows
 * that each model finds what it is there to find.
 */
@Tag("full")
class InterleavingTests {

	/**
	 * Messages need the locale's data, which the JVM reads once. In a fresh JVM it would
	 * do so in the first schedule only.
	 */
	@BeforeAll
	static void readTheDataOfTheLocale() {
		assertThat("%d".formatted(1)).isEqualTo("1");
	}

	@Test
	void gateOutlivesNoneOfItsCallers() {
		InterleavingModel.check(AbandonedRequest.class);
	}

	@Test
	void gateLetsOneInAfterTheOther() {
		InterleavingModel.check(TwoCallers.class);
	}

	@Test
	void timeoutAtTheHandoffOwnsOrLeavesNothing() {
		InterleavingModel.check(Timeout.class);
	}

	@Test
	void interruptAtTheHandoffOwnsOrLeavesNothing() {
		InterleavingModel.check(Interrupt.class);
	}

	@Test
	void reentryNeverJoinsAHoldThatHasEnded() {
		InterleavingModel.check(Reentry.class);
	}

	@Test
	void lossIsReportedAtTheEnd() {
		InterleavingModel.check(Loss.class);
	}

	@Test
	void grantThatHasEndedIsNotExtended() {
		InterleavingModel.check(Extension.class);
	}

	@Test
	void renewalDuringAReleaseIsSafe() {
		InterleavingModel.check(Renewal.class);
	}

	/** The only caller gives up while its first request is under way. */
	public static class AbandonedRequest extends InterleavingModel {

		private CompletableFuture<HeldLock> result;

		@Override
		void before() {
			this.result = acquireAsync();
		}

		@Override
		void first() {
			// the request is made by a thread of the library
		}

		@Override
		void second() {
			this.threads.fireLast();
		}

		@Override
		void after() {
			this.result.thenAccept(HeldLock::close);
		}

	}

	/** Two threads take the key and give it back. */
	public static class TwoCallers extends InterleavingModel {

		private volatile int inside;

		private volatile long last;

		@Override
		void first() {
			HeldLock held = acquire();
			require(++this.inside == 1, "Two are inside");
			requireHeld(held);
			require(held.isValid(), "The lock is not valid");
			require(held.fencingToken() > this.last, "The token did not grow");
			this.last = held.fencingToken();
			this.inside--;
			held.close();
		}

		@Override
		void second() {
			first();
		}

	}

	/** The key is passed to a caller whose time is over. */
	public static class Timeout extends InterleavingModel {

		private HeldLock held;

		private CompletableFuture<HeldLock> next;

		@Override
		void before() {
			this.held = acquire();
			this.next = acquireAsync();
		}

		@Override
		void first() {
			this.held.close();
		}

		@Override
		void second() {
			this.threads.fireLast();
		}

		@Override
		void after() {
			require(this.next.isDone(), "The caller was not notified");
			this.next.thenAccept((lock) -> {
				requireHeld(lock);
				lock.close();
			});
		}

	}

	/** The key is passed to a thread that is interrupted. */
	public static class Interrupt extends InterleavingModel {

		private volatile Thread waiter;

		private HeldLock held;

		@Override
		void before() {
			this.waiter = Thread.currentThread();
			elsewhere(() -> this.held = acquire());
		}

		@Override
		void first() {
			try {
				acquire().close();
			}
			catch (LockInterruptedException ex) {
				// nothing was acquired
			}
			require(Thread.interrupted(), "The interrupt was swallowed");
		}

		@Override
		void second() {
			this.waiter.interrupt();
			this.held.close();
		}

	}

	/**
	 * A thread re-enters a lock that another one releases. Checked when both have ended:
	 * one switch is then enough to find a hold that was joined too late.
	 */
	public static class Reentry extends InterleavingModel {

		private HeldLock outer;

		private HeldLock inner;

		@Override
		void before() {
			this.outer = acquire();
		}

		@Override
		@SuppressWarnings("try")
		void first() {
			try (HeldLockScope scope = HeldLockScope.open(this.outer)) {
				this.inner = acquire();
			}
		}

		@Override
		void second() {
			this.outer.close();
		}

		@Override
		void after() {
			requireHeld(this.inner);
			this.inner.close();
		}

	}

	/** A lock is given back that the watchdog just finds lost. */
	public static class Loss extends InterleavingModel {

		private KeyGate gate;

		private Hold hold;

		private HeldLock held;

		@Override
		void before() {
			this.held = acquire();
			this.gate = this.locks.gates.gate(KEY, OPTIONS);
			this.hold = this.gate.describe().held().get(0).hold();
			this.store.lose(KEY);
		}

		@Override
		void first() {
			try {
				this.held.close();
			}
			catch (LockLostException ex) {
				return;
			}
			throw new AssertionError("The loss was not reported");
		}

		@Override
		void second() {
			this.locks.holds().lose(this.gate, this.hold, LossCause.NOT_OWNER);
			require(!this.held.isValid(), "A lost lock is valid");
		}

	}

	/** A response prolongs a grant that is just found over. */
	public static class Extension extends InterleavingModel {

		private KeyGate gate;

		private Hold hold;

		private volatile boolean extended;

		private volatile boolean valid;

		@Override
		void before() {
			acquire();
			this.gate = this.locks.gates.gate(KEY, OPTIONS);
			this.hold = this.gate.describe().held().get(0).hold();
		}

		@Override
		void first() {
			long now = this.clock.nanoTime();
			this.extended = this.hold.grant.extend(now + Duration.ofSeconds(20).toNanos(), now);
		}

		@Override
		void second() {
			this.valid = this.hold.grant.isValid(late());
		}

		@Override
		void after() {
			require(this.extended == this.valid, "What was found over was extended");
			require(this.hold.grant.isValid(late()) == this.valid, "The grant came back");
			this.locks.holds().lose(this.gate, this.hold, LossCause.NOT_OWNER);
			this.threads.fireLast();
		}

		private long late() {
			return this.clock.nanoTime() + Duration.ofSeconds(15).toNanos();
		}

	}

	/**
	 * A lock is given back while it is renewed: not by the watchdog itself, since after a
	 * look at all gates Lincheck no longer sees what threads share.
	 */
	public static class Renewal extends InterleavingModel {

		private KeyGate gate;

		private Hold hold;

		private HeldLock held;

		@Override
		void before() {
			this.held = acquire();
			this.gate = this.locks.gates.gate(KEY, OPTIONS);
			this.hold = this.gate.describe().held().get(0).hold();
		}

		@Override
		void first() {
			this.held.close();
		}

		@Override
		void second() {
			Grant grant = this.hold.grant;
			RenewalOutcome outcome = this.store
				.renew(List.of(new io.leasehold.engine.Renewal(grant.claim, grant.number, OPTIONS.lease())))
				.get(0);
			if (outcome instanceof RenewalOutcome.NotOwner) {
				this.locks.holds().lose(this.gate, this.hold, LossCause.NOT_OWNER);
			}
		}

	}

}
