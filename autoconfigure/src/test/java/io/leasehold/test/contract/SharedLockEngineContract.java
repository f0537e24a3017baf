package io.leasehold.test.contract;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;

import org.junit.jupiter.api.Test;

import io.leasehold.HeldLock;
import io.leasehold.LockOptions;
import io.leasehold.engine.Access;
import io.leasehold.engine.Capability;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.Member;
import io.leasehold.service.LockService;
import org.h2.tools.Server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * The contract of an engine whose store several processes share: another JVM is killed
 * and frozen while it holds the lock. Needs H2 and Spring JDBC on the class path of the
 * tests, and the system's {@code kill}.
 */
public abstract class SharedLockEngineContract extends LockEngineContract {

	/** A min hold that is longer than a test. */
	private static final Duration NEXT_PERIOD = Duration.ofMinutes(5);

	/**
	 * Return where another process finds the store.
	 * @return an address whose opener is on the class path of the tests
	 */
	protected abstract EngineAddress address();

	/**
	 * Return for how long the store may keep the key of a dead process after its min
	 * hold.
	 * @return zero, unless the store counts time coarsely
	 */
	protected Duration lateExpiry() {
		return Duration.ZERO;
	}

	@Override
	protected LockEngine connect(String namespace, Member member) {
		return address().open(namespace, member);
	}

	/**
	 * I4: when the lease of a killed process expires, the next owner acquires the lock
	 * with a greater token.
	 */
	@Fault(1)
	@Test
	void killedHolderIsFollowedAfterItsLease() {
		try (LockProcess holder = LockProcess.start(address(), this.namespace)) {
			long token = holder.acquire(NAME, shortLease());
			holder.kill();
			Pace killed = Pace.begin();
			try (HeldLock next = service().acquire(NAME)) {
				tookAtMost(shortLease(), killed);
				assertThat(next.fencingToken()).isGreaterThan(token);
			}
		}
		leavesNothing();
	}

	/**
	 * A job runs at most once per period, even if its process ends during or after it:
	 * the key stays locked until the min hold ends if the store enforces it, otherwise
	 * until the lease expires.
	 */
	@Test
	void killedHolderOfAMinHoldIsFollowedAfterItsEnd() {
		LockService one = service();
		LockService other = service();
		boolean kept = one.engine("").capabilities().contains(Capability.MIN_HOLD);
		Duration minHold = shortLease().plusMillis(500);
		try (LockProcess holder = LockProcess.start(address(), this.namespace)) {
			long requested = System.nanoTime();
			holder.acquire("done", shortLease(), minHold);
			holder.release("done");
			holder.acquire("running", shortLease(), minHold);
			holder.kill();
			Pace killed = Pace.begin();
			for (String key : List.of("done", "running")) {
				one.acquire(key, one.defaults().toBuilder().minHold(kept ? NEXT_PERIOD : Duration.ZERO).build())
					.close();
				assertThat(System.nanoTime() - requested).isGreaterThan(kept ? minHold.minusMillis(20).toNanos() : 0);
				tookAtMost(kept ? minHold.plus(lateExpiry()) : shortLease(), killed);
				if (kept) {
					assertThat(other.tryAcquire(key)).as("locked for the next period").isEmpty();
				}
				else { // released after the response to a request in flight, if there was
						// one
					eventually().until(() -> other.tryAcquire(key).isPresent());
				}
			}
		}
	}

	/**
	 * A process that was frozen for longer than its lease detects the loss at its first
	 * check, and its release reports the loss.
	 */
	@Fault(2)
	@Test
	void frozenHolderFindsItsLockLostWhenItWakes() {
		try (LockProcess holder = LockProcess.start(address(), this.namespace)) {
			long token;
			do {
				token = holder.acquire(NAME, shortLease().multipliedBy(2));
			}
			while (!holder.isValid(NAME)); // a busy machine may have paused it
			holder.freeze();
			try (HeldLock next = service().acquire(NAME)) {
				holder.wake();
				assertThat(holder.isValid(NAME)).isFalse();
				assertThat(holder.release(NAME)).isFalse();
				assertThat(next.fencingToken()).isGreaterThan(token);
				assertThat(next.isValid()).isTrue();
			}
		}
		leavesNothing();
	}

	/** A parked lock of a killed process becomes available after the linger time. */
	@Fault(1)
	@Test
	void killedProcessThatKeptALockIsFollowedAfterTheLingerTime() {
		LockService next = service();
		if (lacks(next, lingering(next))) {
			return;
		}
		try (LockProcess keeper = LockProcess.start(address(), this.namespace)) {
			keeper.park(NAME, shortLease());
			keeper.kill();
			Pace killed = Pace.begin();
			next.acquire(NAME).close();
			tookAtMost(shortLease(), killed);
		}
		leavesNothing();
	}

	/** After a freeze, the process detects that the lock may have another owner. */
	@Fault(2)
	@Test
	void frozenProcessThatKeptALockDoesNotUseItWhenItWakes() {
		LockService other = service();
		if (lacks(other, lingering(other))) {
			return;
		}
		try (LockProcess keeper = LockProcess.start(address(), this.namespace)) {
			keeper.park(NAME, shortLease());
			keeper.freeze();
			try (HeldLock held = other.acquire(NAME)) {
				keeper.wake();
				keeper.beginToWait(NAME, Duration.ofSeconds(2)); // after a response
				assertThat(keeper.endOfWait()).isEqualTo("LockBusyException");
				assertThat(held.isValid()).isTrue();
			}
		}
		leavesNothing();
	}

	/** The same for a reader and the owner of a permit. */
	@Fault(2)
	@Test
	void frozenReaderAndOwnerOfAPermitFindTheirLocksLostWhenTheyWake() {
		LockService one = service();
		LockOptions permit = one.defaults().toBuilder().permits(1).build();
		if (refuses(one, shared(one)) || refuses(one, permit)) {
			return;
		}
		try (LockProcess other = LockProcess.start(address(), this.namespace)) {
			HeldLock beside = one.acquire(NAME, shared(one));
			long readerToken = other.acquire(NAME, shortLease(), Access.SHARED);
			long permitToken = other.acquire("printer", shortLease(), Access.permits(1));
			other.freeze();
			beside.close();
			try (HeldLock writer = one.acquire(NAME); HeldLock next = one.acquire("printer", permit)) {
				other.wake();
				assertThat(other.isValid(NAME)).isFalse();
				assertThat(other.isValid("printer")).isFalse();
				assertThat(other.release(NAME)).isFalse();
				assertThat(other.release("printer")).isFalse();
				assertThat(writer.fencingToken()).isGreaterThan(readerToken);
				assertThat(next.fencingToken()).isGreaterThan(permitToken);
				assertThat(writer.isValid() && next.isValid()).isTrue();
			}
		}
		leavesNothing();
	}

	/**
	 * I1 and I2: a process that is frozen at any moment for longer than its lease, and
	 * therefore renews too late, does nothing under a lock that it has lost.
	 */
	@Fault({ 2, 4 })
	@Test
	void historyOfAFrozenJvmIsTrue() {
		LockService one = service();
		LockOptions options = one.defaults().toBuilder().lease(shortLease()).build();
		Duration awake = Duration.ofMillis(500);
		// Long enough for the next owner to hold the lock when the frozen one wakes
		Duration frozen = shortLease().multipliedBy(3).dividedBy(2);
		try (LockProcess other = LockProcess.start(address(), this.namespace)) {
			// May take it longer than it is awake later
			other.acquire("first", shortLease());
			other.release("first");
			assertTrueHistory((recorder) -> {
				other.contend(NAME, awake.plus(frozen).multipliedBy(2).plus(awake), shortLease());
				for (int i = 0; i < 2; i++) {
					LockProcess.contend(one, "another", options, System.nanoTime() + awake.toNanos(), (interval) -> {
					});
					other.freezeAtAnyMoment(); // most likely while it holds the lock
					LockProcess.contend(one, NAME, options, System.nanoTime() + frozen.toNanos(), recorder);
					other.wake();
				}
				LockProcess.contend(one, NAME, options, System.nanoTime() + awake.toNanos(), recorder);
				return other.contended();
			});
		}
		for (String key : List.of("another", NAME)) {
			// A lease that ended on a busy machine may leave its owner to the next one
			one.acquire(key, options.toBuilder().lease(Duration.ofMinutes(1)).build()).close();
		}
		leavesNothing();
	}

	/**
	 * A process that is frozen between its last check of the lock and its write cannot
	 * commit that write when it wakes: the fencing guard rejects it.
	 */
	@Fault({ 2, 3 })
	@Test
	void frozenFormerOwnerCannotCommit() throws Exception {
		if (!service().engine("").numbersAlwaysGrow()) {
			cannotBeFenced();
			return;
		}
		Server database = FencedShop.startDatabase();
		try (LockProcess former = LockProcess.start(address(), this.namespace)) {
			String url = FencedShop.url(database, this.namespace);
			FencedShop shop = new FencedShop(url).open(10);
			former.acquire(NAME, renewedLease());
			former.beginToSell(NAME, url);
			former.freeze();
			try (HeldLock next = service().acquire(NAME)) {
				shop.sell(next, () -> {
					former.wake();
					former.goOn();
					assertThat(former.sold()).isEqualTo("StaleFencingTokenException");
				});
			}
			assertThat(former.isValid(NAME)).isFalse();
			assertThat(former.release(NAME)).isFalse();
			assertThat(shop.stock()).isEqualTo(9);
		}
		finally {
			database.stop();
		}
		leavesNothing();
	}

	private void cannotBeFenced() {
		FencedShop shop = FencedShop.inMemory(this.namespace, 10);
		try (HeldLock held = service().acquire(NAME)) {
			assertThatIllegalStateException().isThrownBy(() -> shop.sell(held, () -> {
			}));
		}
		assertThat(shop.stock()).isEqualTo(10);
	}

	/** I1 and I2 between real processes, one of which writes numbers in other digits. */
	@Fault(172)
	@Test
	void historyOfAnotherJvmIsTrue() throws Exception {
		LockService one = service();
		try (LockProcess other = LockProcess.start(address(), this.namespace)) {
			assertTrueHistory((recorder) -> {
				other.contend(NAME, contention(), one.defaults().lease());
				LockProcess.contend(one, NAME, one.defaults(), System.nanoTime() + contention().toNanos(), recorder);
				return other.contended();
			});
		}
		leavesNothing();
	}

	/**
	 * Two processes contend until they have competed: on a busy machine, one may acquire
	 * after the other one has ended.
	 * @param contention records the holds of this process, and returns those of the other
	 * one
	 */
	private static void assertTrueHistory(Function<Consumer<History.Interval>, List<History.Interval>> contention) {
		List<History.Interval> own = new ArrayList<>();
		List<History.Interval> others = new ArrayList<>();
		boolean competed = false;
		for (int i = 0; i < 10 && !competed; i++) {
			others.addAll(contention.apply(own::add));
			competed = own.stream().anyMatch((hold) -> others.stream().anyMatch(hold::competesWith));
		}
		assertThat(competed).as("competed").isTrue();
		History history = new History();
		own.forEach(history::add);
		others.forEach(history::add);
		assertThat(history.violations()).isEmpty();
	}

}
