package io.leasehold.service;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

import io.leasehold.HeldLock;
import io.leasehold.engine.Capability;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.Renewal;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.engine.local.LocalLockEngine;
import io.leasehold.test.VirtualClock;
import io.leasehold.test.contract.DelegatingEngine;
import io.leasehold.test.contract.Fault;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tasks that were handed over and never run, as if a thread had ended before them.
 */
@Timeout(60)
@ExtendWith(OutputCaptureExtension.class)
class SelfCheckTests {

	private static final Duration LEASE = Duration.ofMinutes(1);

	private final FailingThreads threads = new FailingThreads();

	private final VirtualClock clock = new VirtualClock();

	private final LocalLockEngine store = new LocalLockEngine(this.clock);

	private final AtomicInteger renewals = new AtomicInteger();

	/** Without min hold, which is therefore kept by the service. */
	private final LockEngine engine = new DelegatingEngine(this.store) {
		@Override
		public Set<Capability> capabilities() {
			return Set.of();
		}

		@Override
		public List<RenewalOutcome> renew(List<Renewal> due) {
			SelfCheckTests.this.renewals.incrementAndGet();
			return super.renew(due);
		}
	};

	private final ServiceOverThreads service = new ServiceOverThreads(this.engine,
			new EngineThreads("check", this.threads), this.clock);

	@AfterEach
	void close() {
		this.service.close();
	}

	@Fault(116)
	@Test
	void requestThatIsNotSentIsRepaired(CapturedOutput output) throws Exception {
		loseFirst("worker");
		this.service.acquireAsync("a").get(30, TimeUnit.SECONDS).close();
		assertRepaired("requests were not sent", output);
	}

	@Fault(116)
	@Test
	void grantThatItsCallerIsNotNotifiedOfIsRepaired(CapturedOutput output) throws Exception {
		loseFirst("caller");
		this.service.acquireAsync("a").get(30, TimeUnit.SECONDS).close();
		assertRepaired("granted locks were not taken", output);
	}

	/** Otherwise it would be renewed for ever. */
	@Fault(116)
	@Test
	void grantThatNoCallerTakesIsReleased(CapturedOutput output) {
		this.threads.losing((handOver) -> handOver.pool().endsWith("-caller"));
		CompletableFuture<HeldLock> never = this.service.acquireAsync("a");
		Awaitility.await().until(() -> this.store.size() == 0 && this.service.locks.gates().all().isEmpty());
		assertThat(never).isNotDone();
		assertRepaired("closed locks were not released", output);
	}

	@Fault(116)
	@Test
	void renewalThatDoesNotBeginIsRepaired(CapturedOutput output) {
		loseFirst("renewal");
		awaitRenewal();
		assertRepaired("renewals did not begin", output);
	}

	@Fault(116)
	@Test
	void watchdogThatStoppedIsStartedAgain(CapturedOutput output) {
		loseFirst("timer");
		awaitRenewal();
		assertRepaired("renewals did not begin", output);
	}

	/** It had been closed by its holder, and waited for the end of its min hold. */
	@Fault(116)
	@Test
	void releaseThatDoesNotBeginIsRepaired(CapturedOutput output) {
		this.threads.losing((handOver) -> handOver.pool().endsWith("-release"));
		this.service.acquire("a", ServiceOverThreads.OPTIONS.toBuilder().minHold(Duration.ofSeconds(4)).build())
			.close();
		Awaitility.await().until(() -> !this.service.findings().isEmpty());
		this.threads.losing((handOver) -> false);
		this.service.acquire("a").close();
		assertRepaired("closed locks were not released", output);
	}

	private void loseFirst(String kind) {
		AtomicBoolean lost = new AtomicBoolean();
		this.threads.losing((handOver) -> handOver.pool().endsWith("-" + kind) && lost.compareAndSet(false, true));
	}

	/** The renewal is due at once. */
	private void awaitRenewal() {
		HeldLock held = this.service.acquire("a", ServiceOverThreads.OPTIONS.toBuilder().lease(LEASE).build());
		this.clock.advance(LEASE.dividedBy(3));
		Awaitility.await().until(() -> this.renewals.get() > 0);
		assertThat(held.isValid()).isTrue();
	}

	private void assertRepaired(String what, CapturedOutput output) {
		Awaitility.await().until(() -> this.service.findings().toString().contains(what));
		Awaitility.await()
			.untilAsserted(() -> assertThat(output).contains("Self-check of engine 'local' repaired").contains(what));
	}

}
