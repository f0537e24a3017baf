package io.leasehold.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import io.leasehold.DistributedLocks;
import io.leasehold.HeldLock;
import io.leasehold.LockAcquisitionFailedEvent;
import io.leasehold.LockKey;
import io.leasehold.LockLostEvent;
import io.leasehold.LockLostException;
import io.leasehold.LockSlowHoldEvent;
import io.leasehold.LossCause;
import io.leasehold.engine.local.LocalLockEngine;
import io.leasehold.test.contract.Fault;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.event.EventListener;

import static org.assertj.core.api.Assertions.assertThat;

class LeaseholdApplicationEventsTests {

	private final ApplicationContextRunner runner = Leasehold.runner()
		.withPropertyValues("leasehold.engine=local", "leasehold.wait-time=0s")
		.withBean(Listener.class);

	@Test
	void applicationIsNotifiedOfFailures() {
		this.runner.withPropertyValues("leasehold.slow-hold=1ms").run((context) -> {
			DistributedLocks locks = context.getBean(DistributedLocks.class);
			Listener listener = context.getBean(Listener.class);
			HeldLock held = locks.acquireAsync("order:42").join();
			assertThat(locks.tryAcquire("order:42")).isEmpty();
			context.getBean(LocalLockEngine.class).lose(new LockKey("order:42"));
			Awaitility.await().until(() -> listener.received.stream().anyMatch(LockSlowHoldEvent.class::isInstance));
			assertThat(catchLoss(held)).isTrue();
			Awaitility.await().until(() -> listener.received.size() == 3);
			assertThat(listener.received).hasSize(3)
				.hasAtLeastOneElementOfType(LockAcquisitionFailedEvent.class)
				.contains(new LockLostEvent("local", "unnamed", "order:42", held.fencingToken(), LossCause.NOT_OWNER));
		});
	}

	/** A listener of the application that blocks delays no renewal. */
	@Fault(57)
	@Test
	void listenerThatBlocksDelaysNoRenewal() {
		this.runner.run((context) -> {
			DistributedLocks locks = context.getBean(DistributedLocks.class);
			Listener listener = context.getBean(Listener.class);
			listener.blocking = true;
			HeldLock lost = locks.acquire("lost", locks.defaults().toBuilder().lease(Duration.ofMillis(100)).build());
			context.getBean(LocalLockEngine.class).lose(new LockKey("lost"));
			assertThat(listener.blocked.await(30, TimeUnit.SECONDS)).isTrue();
			try (HeldLock held = locks.acquire("held",
					locks.defaults().toBuilder().lease(Duration.ofSeconds(9)).build())) {
				AtomicReference<Duration> remaining = new AtomicReference<>(held.remaining());
				Awaitility.await().until(() -> {
					Duration now = held.remaining();
					return now.compareTo(remaining.getAndSet(now)) > 0; // renewed
				});
				assertThat(held.isValid()).isTrue();
			}
			assertThat(catchLoss(lost)).isTrue();
			listener.free.countDown();
		});
	}

	private static boolean catchLoss(HeldLock held) {
		try {
			held.close();
			return false;
		}
		catch (LockLostException ex) {
			return true;
		}
	}

	static class Listener {

		private final List<Object> received = new CopyOnWriteArrayList<>();

		private final CountDownLatch blocked = new CountDownLatch(1);

		private final CountDownLatch free = new CountDownLatch(1);

		private volatile boolean blocking;

		@EventListener
		void failed(LockAcquisitionFailedEvent event) {
			this.received.add(event);
		}

		@EventListener
		void lost(LockLostEvent event) throws InterruptedException {
			this.received.add(event);
			if (this.blocking) {
				this.blocked.countDown();
				this.free.await();
			}
		}

		@EventListener
		void slow(LockSlowHoldEvent event) {
			this.received.add(event);
		}

	}

}
