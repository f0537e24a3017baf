package io.leasehold.service;

import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.leasehold.HeldLock;
import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import io.leasehold.LockLostException;
import io.leasehold.LockMode;
import io.leasehold.LockOptions;
import io.leasehold.engine.Capability;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.local.LocalLockEngine;
import io.leasehold.test.contract.DelegatingEngine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for a service with several engines, and for the limits of each engine.
 */
class ServiceOverEnginesTests {

	private static final Duration LEAST = Duration.ofSeconds(2);

	private final LockOptions options = new LockOptions("test", "one", Duration.ofSeconds(10), Duration.ZERO,
			Duration.ZERO, LockOptions.UNLIMITED);

	private final Limited one = new Limited("one");

	private final Limited two = new Limited("two");

	private final LockService locks = service(this.one, this.two);

	@AfterEach
	void close() {
		this.locks.close();
	}

	@Test
	void twoEnginesOfOneNameAreRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> service(this.one, this.two, new Limited("two")))
			.withMessage("Two lock engines are named 'two'");
	}

	@Test
	void serviceWithoutItsDefaultEngineIsRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> service(this.two))
			.withMessage("There is no lock engine 'one', only [two]");
	}

	@Test
	void emptyNameIsThatOfTheDefaultEngine() {
		assertThat(this.locks.engine("")).isSameAs(this.one);
		assertThat(this.locks.engine("two")).isSameAs(this.two);
	}

	@Test
	void drainEndsWhenNothingIsHeldOnAnyEngine() {
		HeldLock first = this.locks.acquire("a", this.options);
		HeldLock second = this.locks.acquire("a", this.options.toBuilder().engine("two").build());
		AtomicInteger idle = new AtomicInteger();
		this.locks.drain(idle::incrementAndGet);
		assertThat(idle).hasValue(0);
		first.close();
		assertThat(idle).hasValue(0);
		second.close();
		assertThat(idle).hasValue(1);
	}

	@Test
	void serviceAcceptsCallersAgainAfterADrainOnly() {
		HeldLock held = this.locks.acquire("a", this.options);
		this.locks.resume();
		assertThat(held.isValid()).isTrue();
		this.locks.drain(() -> {
		});
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> this.locks.acquire("b", this.options));
		this.locks.resume();
		assertThat(held.isValid()).isFalse();
		this.locks.acquire("b", this.options).close();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(held::close);
	}

	/** The thread lost a lock of another key or of another engine. */
	@Test
	void threadThatLostALockMayLockOtherKeysAndOtherEngines() {
		Lock lost = this.locks.asLock("a", this.options);
		lost.lock();
		this.locks.inspector().forceRelease("one", new LockKey("a"));
		for (Lock other : List.of(this.locks.asLock("a", this.options.toBuilder().engine("two").build()),
				this.locks.asLock("b", this.options))) {
			assertThat(other.tryLock()).isTrue();
			other.unlock();
		}
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lost::tryLock);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lost::unlock);
	}

	@Test
	void leaseIsAsLongAsItsEngineNeedsAtLeast() {
		this.locks.acquire("a", this.options.toBuilder().lease(LEAST).build()).close();
		assertThatIllegalArgumentException()
			.isThrownBy(() -> this.locks.acquire("a", this.options.toBuilder().lease(LEAST.minusNanos(1)).build()))
			.withMessage("Lease PT1.999999999S of lock 'test' is shorter than the PT2S that engine 'one' needs");
	}

	@Test
	void formsThatAnEngineLacksAreRefused() {
		List<LockOptions> forms = List.of(this.options, this.options.toBuilder().mode(LockMode.SHARED).build(),
				this.options.toBuilder().permits(2).build(),
				this.options.toBuilder().lockDelay(Duration.ofNanos(1)).build());
		assertThat(forms).extracting(this.locks::unsupported).containsOnlyNulls();
		this.one.capabilities = Set.of();
		assertThat(forms).extracting(this.locks::unsupported)
			.containsExactly(null,
					new UnsupportedForm("mode SHARED, which engine 'one' does not support", "Use mode EXCLUSIVE"),
					new UnsupportedForm("permits, which engine 'one' does not support", "Omit the permits"),
					new UnsupportedForm("a lock delay, which engine 'one' does not support",
							"Set the lock delay to 0s"));
		this.locks.acquire("a", this.options).close();
		assertThatIllegalArgumentException().isThrownBy(() -> this.locks.acquire("a", forms.get(1)))
			.withMessage("Lock 'test' requires mode SHARED, which engine 'one' does not support. "
					+ "Use mode EXCLUSIVE, or use another engine");
	}

	@Test
	void timesThatAnEngineCannotKeepAreRefused() {
		Duration most = Duration.ofDays(30);
		Duration longer = most.plusMillis(1);
		List<LockOptions> kept = List.of(this.options.toBuilder().lease(most).build(),
				this.options.toBuilder().lease(most.minusHours(1)).lockDelay(Duration.ofHours(1)).build(),
				this.options.toBuilder().minHold(most).build(),
				this.options.toBuilder().lease(longer).maxHold(Duration.ofHours(1)).build());
		List<LockOptions> tooLong = List.of(this.options.toBuilder().lease(longer).build(),
				this.options.toBuilder().lease(most).lockDelay(Duration.ofMillis(1)).build(),
				this.options.toBuilder().minHold(longer).build());
		assertThat(tooLong).extracting(this.locks::unsupported).containsOnlyNulls();
		this.one.maxLease = most;
		assertThat(kept).extracting(this.locks::unsupported).containsOnlyNulls();
		assertThat(tooLong).extracting(this.locks::unsupported)
			.containsExactly(
					new UnsupportedForm("a lease of PT720H0.001S, but engine 'one' supports at most PT720H",
							"Shorten the lease"),
					new UnsupportedForm(
							"a lease of PT720H and a lock delay of PT0.001S, but engine 'one' supports at most PT720H",
							"Shorten one of them"),
					new UnsupportedForm("a minimum hold of PT720H0.001S, but engine 'one' supports at most PT720H",
							"Shorten the minimum hold"));
		assertThatIllegalArgumentException().isThrownBy(() -> this.locks.acquire("a", tooLong.get(0)))
			.withMessage("Lock 'test' requires a lease of PT720H0.001S, but engine 'one' supports at most PT720H. "
					+ "Shorten the lease, or use another engine");
		this.one.capabilities = Set.of();
		assertThat(this.locks.unsupported(tooLong.get(2))).as("kept by the process").isNull();
	}

	@Test
	void settingsHaveRoomForSixtyThreePasses() {
		assertThat(settings(0).maxHandoffs()).isZero();
		assertThat(settings(63).maxHandoffs()).isEqualTo(63);
		for (int passes : List.of(-1, 64)) {
			assertThatIllegalArgumentException().isThrownBy(() -> settings(passes))
				.withMessage("maxHandoffs must be between 0 and 63, but is " + passes);
		}
	}

	private ServiceSettings settings(int passes) {
		return new ServiceSettings(this.options, OnLost.THROW, passes, Duration.ofSeconds(5));
	}

	private LockService service(LockEngine... engines) {
		return new LockService(settings(63), List.of(engines), Member.of("test"), MonotonicClock.SYSTEM, List.of(),
				ReleaseTiming.IMMEDIATE);
	}

	private static final class Limited extends DelegatingEngine {

		private final String name;

		private Set<Capability> capabilities = EnumSet.allOf(Capability.class);

		private Duration maxLease = LockOptions.UNLIMITED;

		Limited(String name) {
			super(new LocalLockEngine(MonotonicClock.SYSTEM));
			this.name = name;
		}

		@Override
		public String name() {
			return this.name;
		}

		@Override
		public Set<Capability> capabilities() {
			return this.capabilities;
		}

		@Override
		public Duration minLease() {
			return LEAST;
		}

		@Override
		public Duration maxLease() {
			return this.maxLease;
		}

	}

}
