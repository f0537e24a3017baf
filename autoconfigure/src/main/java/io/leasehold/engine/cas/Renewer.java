package io.leasehold.engine.cas;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

import io.leasehold.engine.Renewal;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.engine.support.DaemonThreads;

/**
 * Renewal of many grants. Each is a read and a write of its entry, so several threads
 * share them, and one entry that is slow does not delay the others. Each part of the
 * store has separate threads, so that one that hangs does not delay the others.
 * Thread-safe.
 */
final class Renewer implements AutoCloseable {

	private static final int HELPERS = 3;

	/** Below this a thread costs more than it saves. */
	private static final int EACH = 4;

	private static final int MOST_THREADS = 64;

	private final ThreadPoolExecutor helpers;

	Renewer(String engine) {
		this(new DaemonThreads("leasehold-%s-renewal-".formatted(engine)));
	}

	Renewer(ThreadFactory threads) {
		this.helpers = new ThreadPoolExecutor(0, MOST_THREADS, 10, TimeUnit.SECONDS, new SynchronousQueue<>(), threads);
	}

	/**
	 * Apply a renewal to each, and return the outcomes in the same order.
	 * @param part part of the store that has a renewal's entry
	 */
	List<RenewalOutcome> renew(List<Renewal> renewals, Function<Renewal, String> part,
			Function<Renewal, RenewalOutcome> renew) {
		List<CompletableFuture<RenewalOutcome>> outcomes = new ArrayList<>(renewals.size());
		Map<String, Queue<Runnable>> parts = new LinkedHashMap<>();
		for (Renewal renewal : renewals) {
			CompletableFuture<RenewalOutcome> outcome = new CompletableFuture<>();
			outcomes.add(outcome);
			parts.computeIfAbsent(part.apply(renewal), (first) -> new ConcurrentLinkedQueue<>())
				.add(() -> complete(outcome, renewal, renew));
		}
		startHelpers(parts);
		parts.values().forEach(Renewer::work);
		return outcomes.stream().map(CompletableFuture::join).toList();
	}

	private void startHelpers(Map<String, Queue<Runnable>> parts) {
		// The calling thread may hang in another part
		int own = (parts.size() > 1) ? 1 : 0;
		try {
			for (Queue<Runnable> tasks : parts.values()) {
				for (int i = Math.min(HELPERS, tasks.size() / EACH) + own; i > 0; i--) {
					this.helpers.execute(() -> work(tasks));
				}
			}
		}
		catch (RejectedExecutionException | OutOfMemoryError ex) {
			// The calling thread renews all that are left
		}
	}

	private static void work(Queue<Runnable> tasks) {
		for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
			task.run();
		}
	}

	private static void complete(CompletableFuture<RenewalOutcome> outcome, Renewal renewal,
			Function<Renewal, RenewalOutcome> renew) {
		try {
			outcome.complete(renew.apply(renewal));
		}
		catch (Error ex) {
			outcome.complete(new RenewalOutcome.Unknown(new IllegalStateException(ex)));
		}
	}

	@Override
	public void close() {
		this.helpers.shutdown();
	}

}
