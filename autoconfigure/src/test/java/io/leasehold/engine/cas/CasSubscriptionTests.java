package io.leasehold.engine.cas;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import io.leasehold.LockKey;
import io.leasehold.engine.AcquisitionOutcome.Busy;
import io.leasehold.engine.AcquisitionOutcome.Granted;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.Signal;
import io.leasehold.engine.Subscription;
import io.leasehold.test.contract.Claims;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the notification of claims that wait on {@link CasLockEngine}.
 */
class CasSubscriptionTests {

	private final MemoryStore store = new MemoryStore(MonotonicClock.SYSTEM);

	private final Member member = Member.of("test");

	private final CasLockEngine holder = engine(this.store.connect());

	private final Claim held = claim();

	private final Claim waiting = Claims.waiting(claim());

	private final List<Signal> signals = new ArrayList<>();

	@BeforeEach
	void acquire() {
		assertThat(this.holder.tryAcquire(this.held)).isInstanceOf(Granted.class);
	}

	@Test
	void waiterIsNotifiedOfARelease() {
		CasLockEngine waiter = waiter(this.store.watching());
		Subscription subscription = waiter.subscribe(this.waiting, this.signals::add);
		assertThat(this.signals).as("of a key that is busy").isEmpty();
		release();
		assertThat(this.signals).hasOnlyElementsOfType(Signal.Retry.class).isNotEmpty();
		subscription.close();
		assertThat(waiter.tryAcquire(this.waiting)).isInstanceOf(Granted.class);
		this.signals.clear();
		waiter.release(this.waiting);
		assertThat(this.signals).as("after the subscription was closed").isEmpty();
	}

	@Test
	void releaseBeforeTheSubscriptionIsNotMissed() {
		CasLockEngine waiter = waiter(this.store.watching());
		release();
		waiter.subscribe(this.waiting, this.signals::add).close();
		assertThat(this.signals).hasSize(1);
	}

	@Test
	void waiterThatCannotReadTheKeyTriesAgain() {
		MemoryStore.Connection unreachable = new MemoryStore.Connection(this.store) {

			@Override
			public Subscription watch(String key, Runnable changed) {
				return () -> {
				};
			}

			@Override
			@Nullable Entry reading(String key, MemoryStore.Request<@Nullable Entry> request) throws Exception {
				throw new IOException("unreachable");
			}

		};
		engine(unreachable).subscribe(this.waiting, this.signals::add);
		assertThat(this.signals).hasSize(1);
	}

	@Test
	void waiterPollsAStoreThatDoesNotReportChanges() {
		assertThat(waiter(this.store.connect()).subscribe(this.waiting, this.signals::add))
			.isSameAs(Subscription.POLLING);
		release();
		assertThat(this.signals).isEmpty();
	}

	@Test
	void waiterPollsAStoreThatFailsToReportChanges() {
		MemoryStore.Connection failing = new MemoryStore.Connection(this.store) {

			@Override
			public Subscription watch(String key, Runnable changed) throws Exception {
				throw new IOException("unreachable");
			}

		};
		assertThat(waiter(failing).subscribe(this.waiting, this.signals::add)).isSameAs(Subscription.POLLING);
	}

	@Test
	void subscriptionOfAListenerThatFailsIsClosed() {
		AtomicInteger open = new AtomicInteger();
		MemoryStore.Connection counting = new MemoryStore.Connection(this.store) {

			@Override
			public Subscription watch(String key, Runnable changed) {
				open.incrementAndGet();
				return open::decrementAndGet;
			}

		};
		CasLockEngine waiter = waiter(counting);
		release();
		assertThat(waiter.subscribe(this.waiting, (signal) -> {
			throw new IllegalStateException("rejected");
		})).isSameAs(Subscription.POLLING);
		assertThat(open).hasValue(0);
	}

	private CasLockEngine waiter(CompareAndSetStore connection) {
		CasLockEngine waiter = engine(connection);
		assertThat(waiter.tryAcquire(this.waiting)).isInstanceOf(Busy.class);
		return waiter;
	}

	private static CasLockEngine engine(CompareAndSetStore connection) {
		return new CasLockEngine("test", connection, CasSettings.of("test"), MonotonicClock.SYSTEM);
	}

	private void release() {
		assertThat(this.holder.release(this.held)).isInstanceOf(ReleaseOutcome.Released.class);
	}

	private Claim claim() {
		return new Claim(new LockKey("order:42"), this.member.newOwner(), Duration.ofMinutes(1), Duration.ZERO, false,
				System.nanoTime());
	}

}
