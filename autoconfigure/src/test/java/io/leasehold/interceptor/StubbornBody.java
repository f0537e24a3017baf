package io.leasehold.interceptor;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import io.leasehold.HeldLock;
import io.leasehold.LossCause;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Work under a lock that no cancellation and no interrupt stops: its first call goes on
 * until the test ends it. Thread-safe.
 */
final class StubbornBody implements Supplier<String> {

	private final CompletableFuture<HeldLock> held = new CompletableFuture<>();

	private final CompletableFuture<LossCause> loss = new CompletableFuture<>();

	private final CompletableFuture<String> begun = new CompletableFuture<>();

	private final CountDownLatch end = new CountDownLatch(1);

	private final AtomicInteger calls = new AtomicInteger();

	private final AtomicInteger running = new AtomicInteger();

	private final AtomicInteger most = new AtomicInteger();

	StubbornBody under(HeldLock lock) {
		this.held.complete(lock);
		lock.onLost((lost) -> this.loss.complete(lost.getLossCause()));
		return this;
	}

	@Override
	public String get() {
		this.most.accumulateAndGet(this.running.incrementAndGet(), Math::max);
		boolean first = this.calls.incrementAndGet() == 1;
		this.begun.complete("begun");
		if (first) {
			awaitEnd();
		}
		this.running.decrementAndGet();
		return "paid";
	}

	private void awaitEnd() {
		boolean interrupted = false;
		while (this.end.getCount() > 0) {
			try {
				this.end.await();
			}
			catch (InterruptedException ex) {
				interrupted = true;
			}
		}
		if (interrupted) {
			Thread.currentThread().interrupt();
		}
	}

	/** Call it in a thread of its own. */
	CompletableFuture<String> inAnotherThread() {
		return CompletableFuture.supplyAsync(this, Locked::execute);
	}

	void awaitBegin() {
		assertThat(this.begun).succeedsWithin(Locked.SOON);
	}

	/**
	 * Return a time limit that ends, in another thread, when the first call has begun.
	 */
	Mono<String> whenBegun() {
		return Mono.fromFuture(this.begun, true).publishOn(Schedulers.parallel());
	}

	/** Let the first call return. */
	void end() {
		this.end.countDown();
	}

	boolean hasEnded() {
		return this.running.get() == 0;
	}

	HeldLock held() throws Exception {
		return this.held.get(Locked.SOON.toSeconds(), TimeUnit.SECONDS);
	}

	LossCause loss() throws Exception {
		return this.loss.get(Locked.SOON.toSeconds(), TimeUnit.SECONDS);
	}

	/**
	 * Require that a retry waits until the first call has returned, and then succeeds.
	 */
	void assertRetryRunsAfterIt(CompletableFuture<String> result, RecordedEvents events) throws Exception {
		await().until(events::isAwaited);
		end();
		assertThat(result.get(Locked.SOON.toSeconds(), TimeUnit.SECONDS)).isEqualTo("paid");
		assertThat(calls()).isEqualTo(2);
		assertThat(this.most).hasValue(1);
	}

	int calls() {
		return this.calls.get();
	}

}
