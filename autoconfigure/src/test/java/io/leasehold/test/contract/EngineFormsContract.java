package io.leasehold.test.contract;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Consumer;

import org.assertj.core.api.InstanceOfAssertFactories;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import io.leasehold.engine.Access;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.AcquisitionOutcome.Busy;
import io.leasehold.engine.AcquisitionOutcome.Granted;
import io.leasehold.engine.Capability;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Holder;
import io.leasehold.engine.KeptKeys;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.Renewal;
import io.leasehold.engine.RenewalOutcome;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The part of the contract that is about concurrent owners, and about keys that stay
 * unavailable after an owner vanished. An engine that does not support such a form
 * rejects it, which {@link ServiceFormsContract} tests; the tests here do nothing then.
 */
abstract class EngineFormsContract extends KeptKeysContract {

	private static final Duration LONG = Duration.ofSeconds(60);

	@Test
	void readersShareAKeyAndExcludeAWriter() {
		Process one = process();
		Process other = process();
		if (!one.has(Capability.SHARED)) {
			return;
		}
		Claim reader = claim(one, Access.SHARED);
		Claim beside = claim(other, Access.SHARED);
		Claim inTheSameProcess = claim(one, Access.SHARED);
		List.of(reader, inTheSameProcess).forEach(one::granted);
		other.granted(beside);
		assertThat(other.engine().tryAcquire(other.claim(KEY))).isInstanceOf(Busy.class);
		release(one, reader);
		release(other, beside);
		assertThat(other.engine().tryAcquire(other.claim(KEY))).isInstanceOf(Busy.class);
		release(one, inTheSameProcess);
		other.granted(other.claim(KEY));
		assertThat(one.engine().tryAcquire(claim(one, Access.SHARED))).isInstanceOf(Busy.class);
	}

	@Test
	void numbersGrowOverEveryAccess() {
		Process one = process();
		Process other = process();
		long last = 0;
		for (Access access : accesses(one)) {
			Claim first = claim(one, access);
			long number = one.granted(first).number();
			assertThat(number).as(access.toString()).isGreaterThan(last);
			last = number;
			Claim second = claim(other, access);
			if (access != Access.EXCLUSIVE) {
				last = other.granted(second).number();
				assertThat(last).as("beside another, " + access).isGreaterThan(number);
				release(other, second);
			}
			release(one, first);
		}
		assertThat(one.granted(one.claim(KEY)).number()).isGreaterThan(last);
	}

	/** A repeated request finds its own grant, and creates no second one. */
	@Fault(11)
	@Test
	void repeatedRequestFindsItsOwnGrantAndTakesNoSecondPlace() {
		Process one = process();
		Process other = process();
		for (Access access : accesses(one)) {
			Claim claim = Claims.waiting(claim(one, access));
			assertThat(one.granted(claim).number()).isEqualTo(one.granted(claim).number());
			release(one, claim);
			Claim next = other.claim(KEY);
			other.granted(next);
			release(other, next);
		}
		assertThat(residue(this.namespace)).isEmpty();
	}

	@Test
	void readerDoesNotPassAWaitingWriter() {
		Process one = process();
		Process other = process();
		Process third = process();
		if (!one.has(Capability.SHARED)) {
			return;
		}
		Claim reader = claim(one, Access.SHARED);
		one.granted(reader);
		Claim writer = other.waiting(KEY);
		try (Waiter waitingWriter = other.begin(writer)) {
			assertThat(third.engine().tryAcquire(claim(third, Access.SHARED))).isInstanceOf(Busy.class);
			Claim late = Claims.waiting(claim(third, Access.SHARED));
			try (Waiter lateReader = third.begin(late)) {
				release(one, reader);
				waitingWriter.await();
				assertThat(one.engine().tryAcquire(claim(one, Access.SHARED))).isInstanceOf(Busy.class);
				release(other, writer);
				lateReader.await();
			}
		}
	}

	@Test
	void allWaitingReadersAreGrantedTogether() {
		Process one = process();
		if (!one.has(Capability.SHARED)) {
			return;
		}
		Claim writer = one.claim(KEY);
		one.granted(writer);
		List<Process> readers = List.of(process(), process(), process());
		List<Waiter> waiters = readers.stream()
			.map((reader) -> reader.begin(Claims.waiting(claim(reader, Access.SHARED))))
			.toList();
		release(one, writer);
		waiters.forEach(Waiter::await);
	}

	/** Each reader has a separate lease: renewals of one do not extend another. */
	@Test
	void silentReaderIsOverWhileAnotherGoesOn() {
		Process one = process();
		Process other = process();
		if (!one.has(Capability.SHARED)) {
			return;
		}
		Claim silent = claim(one, Access.SHARED, shortLease());
		Granted ended = one.granted(silent);
		Claim renewed = claim(other, Access.SHARED);
		Granted goesOn = other.granted(renewed);
		eventually().until(() -> {
			// A slow machine may get no response in time
			assertThat(other.renew(renewed, goesOn)).isNotInstanceOf(RenewalOutcome.NotOwner.class);
			List<Long> holders = one.engine().inspect(KEY).stream().map(Holder::number).toList();
			return holders.equals(List.of(goesOn.number()));
		});
		assertThat(one.renew(silent, ended)).isInstanceOf(RenewalOutcome.NotOwner.class);
		assertThat(one.engine().tryAcquire(one.claim(KEY))).isInstanceOf(Busy.class);
		assertThat(one.engine().release(silent)).isInstanceOf(ReleaseOutcome.NotOwner.class);
		assertThat(other.renew(renewed, goesOn)).isInstanceOf(RenewalOutcome.Renewed.class);
		release(other, renewed);
		one.granted(one.claim(KEY));
	}

	@Test
	void permitsAreCountedOverProcesses() {
		Process one = process();
		Process other = process();
		if (!one.has(Capability.PERMITS)) {
			return;
		}
		Access two = Access.permits(2);
		Claim first = claim(one, two);
		one.granted(first);
		Claim second = claim(other, two);
		other.granted(second);
		assertThat(one.engine().tryAcquire(claim(one, two))).isInstanceOf(Busy.class);
		assertThat(one.engine().tryAcquire(one.claim(KEY))).isInstanceOf(Busy.class);
		Claim third = Claims.waiting(claim(process(), two));
		try (Waiter waiting = one.begin(third)) {
			release(other, second);
			waiting.await();
		}
		assertThat(other.engine().tryAcquire(claim(other, two))).isInstanceOf(Busy.class);
		release(one, first);
		release(one, third);
		other.granted(other.claim(KEY));
	}

	/** A permit whose holder does not renew becomes available when its lease ends. */
	@Test
	void permitOfASilentHolderComesBack() {
		Process one = process();
		Process other = process();
		if (!one.has(Capability.PERMITS)) {
			return;
		}
		Access two = Access.permits(2);
		Pace requested = Pace.begin();
		one.granted(claim(one, two, shortLease()));
		other.granted(claim(other, two));
		other.await(Claims.waiting(claim(other, two)));
		tookAtMost(shortLease(), requested);
	}

	@Test
	void anotherNumberOfPermitsIsRefusedWhileOneIsHeld() {
		Process one = process();
		Process other = process();
		if (!one.has(Capability.PERMITS)) {
			return;
		}
		Claim held = claim(one, Access.permits(2));
		one.granted(held);
		for (Claim differing : List.of(claim(other, Access.permits(3)),
				Claims.waiting(claim(other, Access.permits(3))))) {
			assertThat(other.engine().tryAcquire(differing))
				.isEqualTo(new AcquisitionOutcome.Contradicted(Access.permits(2)));
			other.engine().release(differing);
		}
		one.granted(claim(one, Access.permits(2)));
		assertThat(other.engine().forceRelease(KEY)).hasSize(2);
		assertThat(residue(this.namespace)).isEmpty();
		other.granted(claim(other, Access.permits(3)));
	}

	@Test
	void allHoldersAreShownAndReleasedByForce() {
		Process one = process();
		Process other = process();
		if (!one.has(Capability.SHARED)) {
			return;
		}
		Claim first = claim(one, Access.SHARED);
		Granted firstGrant = one.granted(first);
		Claim second = claim(other, Access.SHARED);
		Granted secondGrant = other.granted(second);
		assertThat(process().engine().inspect(KEY)).extracting(Holder::number)
			.containsExactly(firstGrant.number(), secondGrant.number());
		assertThat(process().engine().forceRelease(KEY)).extracting(Holder::number)
			.containsExactly(firstGrant.number(), secondGrant.number());
		assertThat(other.engine().inspect(KEY)).isEmpty();
		other.granted(other.claim(KEY));
		assertThat(one.renew(first, firstGrant)).isInstanceOf(RenewalOutcome.NotOwner.class);
		assertThat(other.renew(second, secondGrant)).isInstanceOf(RenewalOutcome.NotOwner.class);
	}

	@Test
	void abandonedWaitOfEveryAccessLeavesNothing() {
		Process one = process();
		Process other = process();
		Claim held = one.claim(KEY);
		one.granted(held);
		for (Access access : accesses(one)) {
			Claim abandoned = Claims.waiting(claim(other, access));
			other.begin(abandoned).close();
			other.engine().release(abandoned);

		}
		release(one, held);
		eventually().untilAsserted(() -> assertThat(residue(this.namespace)).isEmpty());
	}

	@Test
	void keyOfAVanishedOwnerStaysUnavailableForTheLockDelay() throws Exception {
		Process one = process();
		Process other = process();
		if (!one.has(Capability.LOCK_DELAY)) {
			return;
		}
		Parallel.run(accesses(one).stream().map((access) -> (Callable<?>) () -> {
			LockKey key = new LockKey("vanished:" + access.code());
			Pace requested = Pace.begin();
			one.granted(delayed(one, key, access, shortLease()));
			Claim next = other.waiting(key);
			other.await(next);
			took(shortLease().multipliedBy(2), requested);
			release(other, next);
			return null;
		}).toList());
	}

	@Test
	void cleanReleaseEndsTheLockDelay() {
		Process one = process();
		Process other = process();
		for (Access access : accesses(one)) {
			Claim released = delayed(one, KEY, access, LONG);
			Granted granted = one.granted(released);
			assertThat(granted.validUntil() - System.nanoTime()).isLessThanOrEqualTo(LONG.toNanos());
			assertThat(one.renew(released, granted)).isInstanceOfSatisfying(RenewalOutcome.Renewed.class,
					(renewed) -> assertThat(renewed.validUntil() - System.nanoTime())
						.isLessThanOrEqualTo(LONG.toNanos()));
			release(one, released);
			Claim next = other.claim(KEY);
			other.granted(next);
			release(other, next);
		}
	}

	/** If the store enforces a min hold, a released permit counts until its end. */
	@Test
	void releasedPermitStaysTakenForItsMinHold() {
		Process one = process();
		Process other = process();
		if (!one.has(Capability.PERMITS) || !one.has(Capability.MIN_HOLD)) {
			return;
		}
		Access single = Access.permits(1);
		Pace requested = Pace.begin();
		Claim released = new Claim(KEY, one.member().newOwner(), Terms.of(single, LONG, shortLease(), Duration.ZERO),
				false, System.nanoTime());
		one.granted(released);
		release(one, released);
		other.await(Claims.waiting(claim(other, single)));
		took(shortLease(), requested);
	}

	/**
	 * A closed engine will not be available again: each request fails with the same
	 * exception, which names its lock. An engine that cannot be closed has no such
	 * failure.
	 */
	@Test
	void closedEngineFailsEachRequestWithTheNameOfItsLock() throws Exception {
		Process one = process();
		LockEngine engine = one.engine();
		if (!(engine instanceof AutoCloseable)) {
			return;
		}
		Claim held = one.claim(KEY);
		Granted granted = one.granted(held);
		Claim waiting = one.waiting(KEY);
		assertThat(engine.tryAcquire(waiting)).isInstanceOf(Busy.class);
		one.close();
		accesses(one).forEach((access) -> failsClosed(engine, () -> engine.tryAcquire(claim(one, access))));
		failsClosed(engine, () -> engine.tryAcquire(waiting));
		failsClosed(engine, () -> engine.subscribe(waiting, (signal) -> {
		}));
		List.of(held, waiting, one.claim(KEY)).forEach((claim) -> failsClosed(engine, () -> engine.release(claim)));
		failsClosed(engine, () -> engine.inspect(KEY));
		failsClosed(engine, () -> engine.forceRelease(KEY));
		KeptKeys kept = engine.keptKeys();
		if (kept != null) {
			failsClosed(engine, () -> kept.find(KEY));
			failsClosed(engine, () -> kept.open(KEY));
		}
		Claim another = one.claim(new LockKey("another"));
		assertThat(engine.renew(List.of(new Renewal(held, granted.number(), held.lease()),
				new Renewal(another, granted.number(), another.lease()))))
			.satisfiesExactly((first) -> assertThat(causeOf(first)).satisfies(closed(engine, KEY)),
					(second) -> assertThat(causeOf(second)).satisfies(closed(engine, another.key())));
	}

	private static void failsClosed(LockEngine engine, ThrowingCallable request) {
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(request).satisfies(closed(engine, KEY));
	}

	private static @Nullable Exception causeOf(RenewalOutcome outcome) {
		return (outcome instanceof RenewalOutcome.Unknown unknown) ? unknown.cause() : null;
	}

	/** The failure of a closed engine, which {@code OpenState} creates. */
	static Consumer<Throwable> closed(LockEngine engine, LockKey key) {
		return (failure) -> assertThat(failure).isExactlyInstanceOf(LockEngineException.class)
			.hasMessage("Lock '%s' is unavailable: engine '%s' is closed", key, engine.name())
			.asInstanceOf(InstanceOfAssertFactories.type(LockEngineException.class))
			.matches((ex) -> !ex.isRetryable(), "not retryable")
			.returns(key.value(), LockEngineException::getKey);
	}

	private static List<Access> accesses(Process process) {
		return List.of(Access.EXCLUSIVE, Access.SHARED, Access.permits(3))
			.stream()
			.filter((access) -> switch (access.kind()) {
				case EXCLUSIVE -> true;
				case SHARED -> process.has(Capability.SHARED);
				case PERMITS -> process.has(Capability.PERMITS);
			})
			.toList();
	}

	private static void release(Process process, Claim claim) {
		assertThat(process.engine().release(claim)).isInstanceOf(ReleaseOutcome.Released.class);
	}

	private static Claim claim(Process process, Access access) {
		return claim(process, access, LONG_LEASE);
	}

	private static Claim claim(Process process, Access access, Duration lease) {
		return new Claim(KEY, process.member().newOwner(), Terms.of(access, lease, Duration.ZERO, Duration.ZERO), false,
				System.nanoTime());
	}

	/** A claim whose lock delay equals its lease, if the engine supports lock delays. */
	private static Claim delayed(Process process, LockKey key, Access access, Duration lease) {
		Duration delay = process.has(Capability.LOCK_DELAY) ? lease : Duration.ZERO;
		return new Claim(key, process.member().newOwner(), Terms.of(access, lease, Duration.ZERO, delay), false,
				System.nanoTime());
	}

}
