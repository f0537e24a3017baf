package io.leasehold.service;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.slf4j.LoggerFactory;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.leasehold.HeldLock;
import io.leasehold.HeldLockScope;
import io.leasehold.LockBusyException;
import io.leasehold.LockEngineException;
import io.leasehold.LockHolder;
import io.leasehold.LockKey;
import io.leasehold.LockKeys;
import io.leasehold.LockMode;
import io.leasehold.LockOptions;
import io.leasehold.LockView;
import io.leasehold.engine.Holder;
import io.leasehold.engine.KeptKeys;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.local.LocalLockEngine;
import io.leasehold.test.contract.DelegatingEngine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.tuple;

/**
 * The exception for a busy lock names the holders and the caller's own locks.
 */
@ExtendWith(OutputCaptureExtension.class)
class HolderReportTests {

	private static final Duration BRIEFLY = Duration.ofMillis(5);

	private final LocalLockEngine store = new LocalLockEngine(MonotonicClock.SYSTEM);

	private final AtomicInteger lookups = new AtomicInteger();

	private final List<LockService> services = new ArrayList<>();

	private final LockService owner = service(HolderReport.AFTER_WAIT, this.store::inspect);

	@AfterEach
	void close() {
		this.services.forEach(LockService::close);
	}

	@Test
	void messageNamesTheHolderAndTheOwnLocks() {
		LockService service = service(HolderReport.AFTER_WAIT, this.store::inspect);
		HeldLock held = this.owner.acquire("a");
		LockView view = service.asLock("view");
		view.lock();
		LockBusyException busy = service.call("own\nlock", (own) -> busy(() -> service.acquire("a", waiting(service))));
		view.unlock();
		assertThat(busy.getHolders()).extracting(LockHolder::application, LockHolder::thread, LockHolder::fencingToken)
			.containsExactly(tuple("owner", Thread.currentThread().getName(), held.fencingToken()));
		assertThat(busy.getOwnKeys()).containsExactly("own\nlock", "view");
		assertThat(busy).hasMessageMatching("Lock 'a' could not be acquired within \\d+ ms: another owner"
				+ " held it \\(engine: local\\)\\. It is held by owner@.+ \\(pid %d, thread %s\\) since .+Z\\. The caller itself holds 'own%%0Alock', 'view'"
					.formatted(ProcessHandle.current().pid(), Thread.currentThread().getName()));
		assertThat(busy.getWaited()).isGreaterThanOrEqualTo(BRIEFLY);
		held.close();
	}

	/** The store does not know whether such a lock is in use. */
	@Test
	void messageDoesNotSayThatALingeringLockIsHeld() {
		LockService service = service(HolderReport.AFTER_WAIT,
				(key) -> this.store.inspect(key).stream().map((holder) -> holder.withReserved(31, true)).toList());
		HeldLock held = this.owner.acquire("a");
		assertThat(busy(() -> service.acquire("a", waiting(service))))
			.hasMessageContaining("(engine: local). It is held, or kept for the next caller (linger), by owner@")
			.hasMessageNotContaining("It is held by");
		held.close();
	}

	@Test
	@SuppressWarnings("try")
	void lostLocksAreNotNamed() {
		LockService service = service(HolderReport.AFTER_WAIT, this.store::inspect);
		HeldLock held = this.owner.acquire("a");
		HeldLock lost = service.acquire("lost");
		try (HeldLockScope scope = HeldLockScope.open(lost)) {
			this.owner.inspector().forceRelease("local", new LockKey("lost"));
			service.inspector().forceRelease("local", new LockKey("lost"));
			service.cancelled(lost);
			assertThat(busy(() -> service.acquire("a", waiting(service))).getOwnKeys()).isEmpty();
		}
		held.close();
	}

	@Test
	void asyncCallersSeeTheSame() throws Exception {
		LockService service = service(HolderReport.AFTER_WAIT, this.store::inspect);
		HeldLock held = this.owner.acquire("a");
		CompletableFuture<HeldLock> result = service.acquireAsync("a", waiting(service));
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(result::get)
			.satisfies((ex) -> assertThat(((LockBusyException) ex.getCause()).getHolders()).hasSize(1));
		held.close();
	}

	@ParameterizedTest
	@CsvSource({ "AFTER_WAIT, 0, 0", "AFTER_WAIT, 5, 1", "ALWAYS, 0, 1", "ALWAYS, 5, 1", "NEVER, 0, 0", "NEVER, 5, 0" })
	void storeIsQueriedAsConfigured(HolderReport report, int waitTime, int expected) {
		LockService service = service(report, this.store::inspect);
		HeldLock held = this.owner.acquire("a");
		LockOptions options = service.defaults().toBuilder().waitTime(Duration.ofMillis(waitTime)).build();
		assertThat(busy(() -> service.acquire("a", options)).getHolders()).hasSize(expected);
		assertThat(this.lookups).hasValue(expected);
		held.close();
	}

	/**
	 * The wait time is exceeded by one request at most, also for a key without a holder.
	 */
	@Test
	void keyThatAMinimumHoldKeepsCostsNoSecondRequest() {
		LockService service = service(HolderReport.ALWAYS, this.store::inspect);
		this.owner.acquire("a", this.owner.defaults().toBuilder().minHold(Duration.ofHours(1)).build()).close();
		assertThat(busy(() -> service.acquire("a", waiting(service))).getHolders()).isEmpty();
		assertThat(this.lookups).hasValue(1);
	}

	/** Callers that discard the exception do not pay for it. */
	@Test
	void callersWithoutAnExceptionSendNoRequest() throws InterruptedException {
		LockService service = service(HolderReport.ALWAYS, this.store::inspect);
		HeldLock held = this.owner.acquire("a");
		assertThat(service.tryAcquire("a")).isEmpty();
		assertThat(service.tryAcquire("a", waiting(service))).isEmpty();
		assertThat(service.asLock("a").tryLock()).isFalse();
		assertThat(service.asLock("a").tryLock(1, TimeUnit.MILLISECONDS)).isFalse();
		assertThat(this.lookups).hasValue(0);
		held.close();
	}

	/** So that the log can tell why a job was skipped. */
	@Test
	void debugLogNamesTheHolderToCallersWithoutAnException(CapturedOutput output) throws InterruptedException {
		LockService service = service(HolderReport.AFTER_WAIT, this.store::inspect);
		HeldLock held = this.owner.acquire("a");
		Logger logger = (Logger) LoggerFactory.getLogger(HolderLookup.class);
		logger.setLevel(Level.DEBUG);
		try {
			assertThat(service.tryAcquire("a")).isEmpty();
		}
		finally {
			logger.setLevel(null);
		}
		assertThat(output.getOut()).contains("Lock 'a' ").contains("It is held by owner@");
		held.close();
	}

	@Test
	void permitsThatAreNotFreeAreNamedOnce() {
		LockService service = service(HolderReport.AFTER_WAIT, this.store::inspect);
		LockOptions four = waiting(service).toBuilder().permits(4).build();
		List<HeldLock> held = IntStream.range(0, 4).mapToObj((i) -> this.owner.acquire("a", four)).toList();
		LockBusyException busy = busy(() -> service.acquirePermits("a", 2, four));
		assertThat(busy.getHolders()).hasSize(4);
		assertThat(busy).hasMessageStartingWith("2 of the 4 permits of lock 'a' could not be acquired within")
			.hasMessageEndingWith(" and 1 more");
		assertThat(this.lookups).hasValue(1);
		held.forEach(HeldLock::close);
	}

	@Test
	void threeHoldersAreAllNamed() {
		LockService service = service(HolderReport.AFTER_WAIT, this.store::inspect);
		LockOptions three = waiting(service).toBuilder().permits(3).build();
		List<HeldLock> held = IntStream.range(0, 3).mapToObj((i) -> this.owner.acquire("a", three)).toList();
		LockBusyException busy = busy(() -> service.acquire("a", three));
		assertThat(busy.getHolders()).hasSize(3);
		assertThat(busy.getMessage()).doesNotContain("more");
		held.forEach(HeldLock::close);
	}

	@Test
	void readersAreAllNamed() {
		LockService service = service(HolderReport.AFTER_WAIT, this.store::inspect);
		LockOptions shared = this.owner.defaults().toBuilder().mode(LockMode.SHARED).build();
		HeldLock one = this.owner.acquire("a", shared);
		HeldLock other = service(HolderReport.NEVER, this.store::inspect).acquire("a", shared);
		LockBusyException busy = busy(() -> service.acquire("a", waiting(service)));
		assertThat(busy.getHolders()).hasSize(2);
		assertThat(busy.getMessage()).doesNotContain("more");
		one.close();
		other.close();
	}

	/** Keys that were acquired in vain do not wait for the request. */
	@Test
	void otherKeysAreReleasedBeforeTheHoldersAreRead() {
		AtomicInteger free = new AtomicInteger();
		LockService service = service(HolderReport.AFTER_WAIT, (key) -> {
			this.owner.tryAcquire("a").ifPresent((lock) -> {
				free.incrementAndGet();
				lock.close();
			});
			return this.store.inspect(key);
		});
		HeldLock held = this.owner.acquire("b");
		assertBusyOnce(free, (waitTime) -> busy(
				() -> service.acquireAll(List.of("a", "b"), waiting(service).toBuilder().waitTime(waitTime).build())));
		assertBusyOnce(free, (waitTime) -> busyAsync(service.acquireAllAsync(LockKeys.of(List.of("a", "b")),
				waiting(service).toBuilder().waitTime(waitTime).build(), List.of(), Acquirer.NEVER_BYPASSED)));
		held.close();
	}

	/**
	 * Acquire "a" and "b", of which "b" is busy. On a machine that stalls, a short wait
	 * time may be over before "a" is granted: then "a" is reported as busy, and the
	 * attempt is repeated with a longer one.
	 */
	private void assertBusyOnce(AtomicInteger free, Function<Duration, LockBusyException> acquisition) {
		LockBusyException busy;
		Duration waitTime = BRIEFLY;
		do {
			free.set(0);
			this.lookups.set(0);
			busy = acquisition.apply(waitTime);
			waitTime = waitTime.multipliedBy(2);
		}
		while (!"b".equals(busy.getKey()) && waitTime.compareTo(Duration.ofMinutes(1)) < 0);
		assertThat(busy.getKey()).isEqualTo("b");
		assertThat(busy.getHolders()).hasSize(1);
		assertThat(free).hasValue(1);
		assertThat(this.lookups).hasValue(1);
	}

	@Test
	void silentStoreLeavesTheExceptionAsItIs() {
		LockService service = service(HolderReport.AFTER_WAIT, (key) -> {
			throw new LockEngineException(key, "silent", null);
		});
		HeldLock held = this.owner.acquire("a");
		LockBusyException busy = busy(() -> service.acquire("a", waiting(service)));
		assertThat(busy.getHolders()).isEmpty();
		assertThat(busy).hasMessageEndingWith("another owner held it (engine: local)");
		assertThat(busy(() -> service.acquire("a", waiting(service))).getHolders()).isEmpty();
		assertThat(this.lookups).hasValue(2);
		held.close();
	}

	/** Otherwise an asynchronous caller of several keys would never have a result. */
	@Test
	void errorOfTheEngineLeavesTheExceptionAsItIs() {
		LockService service = service(HolderReport.AFTER_WAIT, (key) -> {
			throw new NoClassDefFoundError("Driver");
		});
		HeldLock held = this.owner.acquire("b");
		assertThat(busy(() -> service.acquire("b", waiting(service))).getHolders()).isEmpty();
		assertThat(busyAsync(service.acquireAllAsync(LockKeys.of(List.of("a", "b")), waiting(service), List.of(),
				Acquirer.NEVER_BYPASSED))
			.getHolders()).isEmpty();
		held.close();
	}

	@Test
	void ownLocksAreNamedThoughTheStoreReportsNoHolder() {
		LockService service = service(HolderReport.AFTER_WAIT, (key) -> List.of());
		HeldLock held = this.owner.acquire("a");
		LockBusyException busy = service.call("own", (own) -> busy(() -> service.acquire("a", waiting(service))));
		assertThat(busy.getOwnKeys()).containsExactly("own");
		assertThat(busy).hasMessageEndingWith("(engine: local). The caller itself holds 'own'");
		held.close();
	}

	@Test
	void concurrentCallersShareOneRequest() throws Exception {
		CountDownLatch respond = new CountDownLatch(1);
		LockService service = service(HolderReport.AFTER_WAIT, (key) -> {
			awaitUninterruptibly(respond);
			return this.store.inspect(key);
		});
		HeldLock held = this.owner.acquire("a");
		HolderLookup lookup = new HolderLookup(service.engine("local"), HolderReport.ALWAYS);
		LockBusyException plain = new LockBusyException(new LockKey("a"), "busy", Duration.ZERO);
		List<CompletableFuture<LockBusyException>> callers = new ArrayList<>();
		List<Thread> threads = new ArrayList<>();
		for (int i = 0; i < 4; i++) {
			CompletableFuture<LockBusyException> caller = new CompletableFuture<>();
			callers.add(caller);
			Thread thread = new Thread(() -> caller.complete(lookup.explain(plain, service.defaults(), List.of(), "")));
			thread.start();
			threads.add(thread);
		}
		while (!threads.stream().allMatch((thread) -> thread.getState() == Thread.State.WAITING)) {
			Thread.onSpinWait();
		}
		respond.countDown();
		for (CompletableFuture<LockBusyException> caller : callers) {
			assertThat(caller.get().getHolders()).hasSize(1);
		}
		assertThat(this.lookups).hasValue(1);
		held.close();
	}

	private static void awaitUninterruptibly(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static LockBusyException busy(Supplier<HeldLock> acquisition) {
		try {
			acquisition.get().close();
		}
		catch (LockBusyException ex) {
			return ex;
		}
		throw new AssertionError("The lock was acquired");
	}

	private static LockBusyException busyAsync(CompletableFuture<HeldLock> acquisition) {
		return (LockBusyException) assertThat(acquisition).failsWithin(Duration.ofMinutes(1))
			.withThrowableOfType(ExecutionException.class)
			.actual()
			.getCause();
	}

	private static LockOptions waiting(LockService service) {
		return service.defaults().toBuilder().waitTime(BRIEFLY).build();
	}

	private LockService service(HolderReport report, Function<LockKey, List<Holder>> inspection) {
		LockOptions defaults = new LockOptions("test", "local", Duration.ofSeconds(30), Duration.ofSeconds(30),
				Duration.ZERO, LockOptions.UNLIMITED);
		ServiceSettings settings = new ServiceSettings(defaults, OnLost.WARN, 63, Duration.ofSeconds(5),
				LockOptions.UNLIMITED, LockOptions.UNLIMITED, report, DeadlockPolicy.WARN);
		LockService service = new LockService(settings, List.of(new Inspected(inspection)), Member.of("owner"),
				MonotonicClock.SYSTEM, List.of(), ReleaseTiming.IMMEDIATE);
		this.services.add(service);
		return service;
	}

	/** Counts the lookups of a service. */
	private final class Inspected extends DelegatingEngine {

		private final Function<LockKey, List<Holder>> inspection;

		Inspected(Function<LockKey, List<Holder>> inspection) {
			super(HolderReportTests.this.store);
			this.inspection = inspection;
		}

		@Override
		public List<Holder> inspect(LockKey key) {
			HolderReportTests.this.lookups.incrementAndGet();
			return this.inspection.apply(key);
		}

		/** They are read by a request of their own. */
		@Override
		public KeptKeys keptKeys() {
			HolderReportTests.this.lookups.incrementAndGet();
			return HolderReportTests.this.store.keptKeys();
		}

	}

}
