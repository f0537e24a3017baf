package io.leasehold.load;

import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.IntStream;

import io.leasehold.HeldLock;
import io.leasehold.LockOptions;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.event.LockEvent;
import io.leasehold.event.RenewalResult;
import io.leasehold.service.LockService;
import io.leasehold.service.ReleaseTiming;
import io.leasehold.test.contract.Parallel;
import io.leasehold.test.contract.TestSettings;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Many locks at the same time, and many keys one after the other: some thousands, or far
 * more in subclasses for the long run, or as many as the system properties
 * {@code load.locks} and {@code load.keys} say. Figures are printed.
 */
@Timeout(value = 3, unit = TimeUnit.HOURS)
public abstract class EngineLoad {

	/** How long an engine remembers keys that nobody uses. */
	protected static final Duration RETENTION = Duration.ofSeconds(2);

	private static final int THREADS = 8;

	private static final int LEASES = 3;

	/** What a heap may grow by for reasons of its own. */
	private static final long NOISE = 4 << 20;

	private final Queue<LockEvent> losses = new ConcurrentLinkedQueue<>();

	private final LongAdder renewed = new LongAdder();

	private LockEngine engine;

	private LockService locks;

	/**
	 * Connect an engine that forgets keys after {@link #RETENTION}, with nothing in its
	 * store.
	 * @param member who connects
	 */
	protected abstract LockEngine open(Member member) throws Exception;

	/** How many claims the engine knows in this JVM. */
	protected abstract int claims();

	/** How many keys the store knows, held or not. */
	protected abstract long stored() throws Exception;

	/** How many locks are held at the same time. */
	protected int manyLocks() {
		return 1_000;
	}

	/** How many keys are used one after the other. */
	protected int manyKeys() {
		return 2_000;
	}

	/** Lease of locks that are held. */
	protected Duration lease() {
		return Duration.ofSeconds(6);
	}

	@BeforeEach
	void open() throws Exception {
		Member member = Member.of("load");
		this.engine = open(member);
		LockOptions defaults = new LockOptions("load", this.engine.name(), lease(), Duration.ofSeconds(30),
				Duration.ZERO, LockOptions.UNLIMITED);
		this.locks = new LockService(TestSettings.of(defaults), List.of(this.engine), member, MonotonicClock.SYSTEM,
				List.of(this::note), ReleaseTiming.IMMEDIATE);
	}

	private void note(LockEvent event) {
		if (event instanceof LockEvent.HoldLost) {
			this.losses.add(event);
		}
		else if (event instanceof LockEvent.LeaseRenewed renewal && renewal.outcome() == RenewalResult.RENEWED) {
			this.renewed.increment();
		}
	}

	@AfterEach
	void close() throws Exception {
		this.locks.close();
		((AutoCloseable) this.engine).close();
	}

	/** All are renewed in time by one thread. */
	@Test
	void manyHeldLocksAreRenewedAndNoneIsLost() throws Exception {
		int count = Integer.getInteger("load.locks", manyLocks());
		Queue<HeldLock> held = new ConcurrentLinkedQueue<>();
		Parallel.run(IntStream.range(0, THREADS)
			.<Callable<Void>>mapToObj((thread) -> () -> acquire(thread, count, held))
			.toList());
		long start = System.nanoTime();
		long before = this.renewed.sum();
		Awaitility.await()
			.atMost(lease().multipliedBy(20))
			.until(() -> System.nanoTime() - start > lease().multipliedBy(LEASES).toNanos()
					&& this.renewed.sum() - before >= (long) count * LEASES);
		System.out.printf("%s: %,d locks held for %s with a lease of %s, %,d renewals, %d lost%n", this.engine.name(),
				count, Duration.ofNanos(System.nanoTime() - start), lease(), this.renewed.sum(), this.losses.size());
		assertThat(this.losses).isEmpty();
		assertThat(held).hasSize(count).allMatch(HeldLock::isValid);
		held.forEach(HeldLock::close);
		assertThat(this.locks.inspector().overview().held()).isEmpty();
		assertThat(claims()).isZero();
	}

	private Void acquire(int thread, int count, Queue<HeldLock> held) {
		for (int i = thread; i < count; i += THREADS) {
			held.add(this.locks.acquire("held:" + i));
		}
		return null;
	}

	/** Neither the heap nor the store grows with the keys that were ever used. */
	@Test
	void manyKeysAfterEachOtherAreForgotten() throws Exception {
		int count = Integer.getInteger("load.keys", manyKeys());
		long start = System.nanoTime();
		use(0, count / 10);
		long early = heapOnceForgotten();
		use(count / 10, count);
		assertThat(claims()).isZero();
		long late = heapOnceForgotten();
		System.out.printf("%s: %,d keys used and forgotten in %s, heap %,d KB after a tenth, %,d KB at the end%n",
				this.engine.name(), count, Duration.ofNanos(System.nanoTime() - start), early >> 10, late >> 10);
		assertThat(late - early).as("growth of the heap").isLessThan(NOISE + 8L * count);
	}

	private void use(int from, int to) {
		for (int i = from; i < to; i++) {
			this.locks.acquire("key:" + i).close();
		}
	}

	/** The store may be in this JVM, and forgets more slowly than it is used. */
	private long heapOnceForgotten() {
		Awaitility.await().atMost(Duration.ofMinutes(10)).until(this::stored, (left) -> left == 0);
		return heap();
	}

	private static long heap() {
		long used = Long.MAX_VALUE;
		for (int i = 0; i < 3; i++) {
			System.gc();
			used = Math.min(used, Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory());
		}
		return used;
	}

}
