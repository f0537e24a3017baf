package io.leasehold.engine.cas;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

import io.leasehold.engine.Renewal;
import io.leasehold.engine.RenewalOutcome;

import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/**
 * Renewal of many grants. Each is a read and a write of its entry, so several threads
 * share them, and one entry that is slow does not delay the others. Thread-safe.
 */
final class Renewals implements AutoCloseable {

	private static final int HELPERS = 3;

	/** Below this a thread costs more than it saves. */
	private static final int EACH = 4;

	private final ThreadPoolExecutor helpers;

	Renewals(String engine) {
		CustomizableThreadFactory threads = new CustomizableThreadFactory("leasehold-%s-renewal-".formatted(engine));
		threads.setDaemon(true);
		this.helpers = new ThreadPoolExecutor(HELPERS, HELPERS, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(),
				threads);
		this.helpers.allowCoreThreadTimeOut(true);
	}

	/** Apply a renewal to each, and return the outcomes in the same order. */
	List<RenewalOutcome> renew(List<Renewal> renewals, Function<Renewal, RenewalOutcome> renew) {
		List<CompletableFuture<RenewalOutcome>> outcomes = renewals.stream()
			.map((renewal) -> new CompletableFuture<RenewalOutcome>())
			.toList();
		AtomicInteger next = new AtomicInteger();
		Runnable work = () -> {
			for (int i = next.getAndIncrement(); i < outcomes.size(); i = next.getAndIncrement()) {
				try {
					outcomes.get(i).complete(renew.apply(renewals.get(i)));
				}
				catch (Error ex) {
					outcomes.get(i).complete(new RenewalOutcome.Unknown(new IllegalStateException(ex)));
				}
			}
		};
		try {
			for (int i = 0; i < Math.min(HELPERS, renewals.size() / EACH); i++) {
				this.helpers.execute(work);
			}
		}
		catch (RejectedExecutionException | OutOfMemoryError ex) {
			// This thread renews all of them
		}
		work.run();
		return outcomes.stream().map(CompletableFuture::join).toList();
	}

	@Override
	public void close() {
		this.helpers.shutdown();
	}

}
