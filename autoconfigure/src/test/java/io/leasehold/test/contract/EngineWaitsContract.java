package io.leasehold.test.contract;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;

import io.leasehold.LockKey;
import io.leasehold.engine.AcquisitionOutcome.Busy;
import io.leasehold.engine.Capability;
import io.leasehold.engine.Claim;
import io.leasehold.engine.ReleaseOutcome;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The part of the contract that is about waiting claims.
 */
abstract class EngineWaitsContract extends EngineContract {

	@Test
	void waitingClaimIsServedAfterARelease() {
		Process one = process();
		Process other = process();
		Claim claim = one.claim(KEY, Duration.ofSeconds(60));
		long number = one.granted(claim).number();
		Claim waiting = other.waiting(KEY);
		Waiter waiter = other.begin(waiting);
		one.engine().release(claim);
		assertThat(waiter.await().number()).isGreaterThan(number);
		assertThat(other.engine().release(waiting)).isInstanceOf(ReleaseOutcome.Released.class);
		assertThat(residue(this.namespace)).isEmpty();
	}

	@Test
	void releaseBeforeTheSubscriptionIsNotMissed() {
		Process one = process();
		Process other = process();
		Claim claim = one.claim(KEY, Duration.ofSeconds(60));
		one.granted(claim);
		Claim waiting = other.waiting(KEY);
		Busy busy = (Busy) other.engine().tryAcquire(waiting);
		one.engine().release(claim);
		Pace released = Pace.begin();
		new Waiter(other, waiting, busy.retryIn()).await();
		tookAtMost(Duration.ZERO, released);
	}

	/**
	 * A subscription may begin with a signal to retry, which may be on its way when it is
	 * closed. This is rare, so that it does not happen each time.
	 */
	@Test
	void closedSubscriptionReceivesNoSignal() throws Exception {
		Process one = process();
		Process other = process();
		boolean quiet = false;
		for (int i = 0; i < 5 && !quiet; i++) {
			LockKey key = new LockKey("closed:" + i);
			Claim claim = one.claim(key, Duration.ofSeconds(60));
			one.granted(claim);
			Claim waiting = other.waiting(key);
			Waiter waiter = other.begin(waiting);
			waiter.close();
			waiter.signals.clear();
			one.engine().release(claim);
			other.await(waiting);
			quiet = waiter.signals.poll(200, TimeUnit.MILLISECONDS) == null;
			other.engine().release(waiting);
		}
		assertThat(quiet).as("no signals after the end of a subscription").isTrue();
	}

	@Test
	void abandonedWaitLeavesItsTurnToTheNext() {
		Process one = process();
		Process other = process();
		Claim claim = one.claim(KEY, Duration.ofSeconds(60));
		one.granted(claim);
		Claim abandoned = Claims.waiting(other.claim(KEY, Duration.ofSeconds(60)));
		Waiter closed = other.begin(abandoned);
		Process next = process();
		Waiter waiter = next.begin(next.waiting(KEY));
		closed.close();
		other.engine().release(abandoned);
		one.engine().release(claim);
		Pace released = Pace.begin();
		waiter.await();
		tookAtMost(Duration.ZERO, released);
	}

	/** I4: a dead waiter delays its successor no longer than a dead holder does. */
	@Test
	void waiterThatDiedDelaysTheNextByItsLeaseAtMost() throws Exception {
		Process one = process();
		Claim claim = one.claim(KEY, Duration.ofSeconds(60));
		one.granted(claim);
		Process dead = process();
		dead.begin(Claims.waiting(dead.claim(KEY, shortLease()))).close();
		Process next = process();
		Waiter waiter = next.begin(next.waiting(KEY));
		dead.close();
		one.engine().release(claim);
		Pace released = Pace.begin();
		waiter.await();
		tookAtMost(shortLease(), released);
	}

	@Test
	void abandonedWaitLeavesNothing() {
		Process one = process();
		Process other = process();
		Claim claim = one.claim(KEY);
		one.granted(claim);
		Claim waiting = other.waiting(KEY);
		Waiter waiter = other.begin(waiting);
		waiter.close();
		assertThat(other.engine().release(waiting)).isNotInstanceOf(ReleaseOutcome.Released.class);
		one.engine().release(claim);
		assertThat(residue(this.namespace)).isEmpty();
		one.granted(one.claim(KEY));
	}

	@Test
	void claimThatDoesNotWaitLeavesNothingWhenBusy() {
		Process one = process();
		Process other = process();
		Claim claim = one.claim(KEY);
		one.granted(claim);
		other.engine().tryAcquire(other.claim(KEY));
		one.engine().release(claim);
		assertThat(residue(this.namespace)).isEmpty();
		other.granted(other.claim(KEY)); // a new claim of the same process
	}

	/** Waiters are served in order of arrival if the store has a queue. */
	@Test
	void everyWaitingClaimIsServed() throws Exception {
		Process holder = process();
		Claim held = holder.claim(KEY, Duration.ofSeconds(60));
		holder.granted(held);
		List<Process> others = List.of(process(), process(), process());
		List<Claim> claims = others.stream().map((process) -> process.waiting(KEY)).toList();
		List<Waiter> waiters = new ArrayList<>();
		for (int i = 0; i < 3; i++) {
			waiters.add(others.get(i).begin(claims.get(i)));
		}
		Queue<Integer> served = new ConcurrentLinkedQueue<>();
		Queue<Long> numbers = new ConcurrentLinkedQueue<>();
		List<Callable<Void>> waits = new ArrayList<>();
		for (int i = 0; i < 3; i++) {
			int index = i;
			waits.add(() -> {
				numbers.add(waiters.get(index).await().number());
				served.add(index);
				others.get(index).engine().release(claims.get(index));
				return null;
			});
		}
		holder.engine().release(held);
		Parallel.run(waits);
		assertThat(List.copyOf(numbers)).isSorted().doesNotHaveDuplicates();
		if (holder.has(Capability.FIFO)) {
			assertThat(served).containsExactly(0, 1, 2);
		}
		else {
			assertThat(served).containsExactlyInAnyOrder(0, 1, 2);
		}
	}

}
