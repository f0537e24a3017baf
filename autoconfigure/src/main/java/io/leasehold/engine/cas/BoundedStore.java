package io.leasehold.engine.cas;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;

import io.leasehold.engine.Subscription;
import io.leasehold.engine.support.DaemonThreads;
import io.leasehold.engine.support.Deadlines;
import org.jspecify.annotations.Nullable;

/**
 * Store whose client blocks without a bound, with a timeout and in threads that are never
 * interrupted. Each part of the store has separate threads, so that requests to one that
 * hangs delay no others. A request that has not begun within the timeout is never sent.
 * Thread-safe.
 */
public final class BoundedStore implements CompareAndSetStore, AutoCloseable {

	/** For each part. */
	private static final int MOST_REQUESTS = 32;

	/** Subscriptions may need all parts. */
	private static final String ALL_PARTS = "all parts";

	private final CompareAndSetStore store;

	private final Duration timeout;

	private final ThreadFactory factory;

	private final Map<String, ThreadPoolExecutor> threads = new ConcurrentHashMap<>();

	/**
	 * Create a store with a timeout.
	 * @param name name of the engine, for names of threads
	 * @param store the store, closed with this one if it is {@link AutoCloseable}
	 * @param timeout maximum time to wait for a response
	 */
	public BoundedStore(String name, CompareAndSetStore store, Duration timeout) {
		this(new DaemonThreads("leasehold-%s-request-".formatted(name)), store, timeout);
	}

	BoundedStore(ThreadFactory factory, CompareAndSetStore store, Duration timeout) {
		this.store = store;
		this.timeout = timeout;
		this.factory = factory;
	}

	private ThreadPoolExecutor threads(String part) {
		return this.threads.computeIfAbsent(part, (first) -> {
			ThreadPoolExecutor created = new ThreadPoolExecutor(MOST_REQUESTS, MOST_REQUESTS, 10, TimeUnit.SECONDS,
					new LinkedBlockingQueue<>(), this.factory);
			created.allowCoreThreadTimeOut(true);
			return created;
		});
	}

	@Override
	public @Nullable Entry read(String key) throws Exception {
		return this.<@Nullable Entry>call(part(key), () -> this.store.read(key));
	}

	@Override
	public boolean create(String key, String value, Duration timeToLive) throws Exception {
		return call(part(key), () -> this.store.create(key, value, timeToLive));
	}

	@Override
	public boolean replace(String key, Entry expected, String value, Duration timeToLive) throws Exception {
		return call(part(key), () -> this.store.replace(key, expected, value, timeToLive));
	}

	@Override
	public @Nullable Subscription watch(String key, Runnable changed) throws Exception {
		AtomicBoolean open = new AtomicBoolean(true);
		CompletableFuture<Subscription> opened = new CompletableFuture<>();
		Subscription watch = () -> {
			open.set(false);
			opened.thenAccept(this::close); // now, or as soon as it is open
		};
		try {
			return this.<@Nullable Subscription>call(ALL_PARTS, () -> {
				Subscription subscription = this.store.watch(key, () -> {
					if (open.get()) {
						changed.run();
					}
				});
				if (subscription == null) {
					return null;
				}
				opened.complete(subscription);
				return watch;
			});
		}
		catch (Exception ex) {
			watch.close();
			throw ex;
		}
	}

	/** End a subscription without waiting for it, unless no thread is available. */
	private void close(Subscription subscription) {
		try {
			execute(ALL_PARTS, subscription::close);
		}
		catch (RejectedExecutionException ex) {
			subscription.close();
		}
	}

	@Override
	public String part(String key) {
		return this.store.part(key);
	}

	@Override
	public @Nullable String location() {
		return this.store.location();
	}

	@Override
	public boolean isPunctual() {
		return this.store.isPunctual();
	}

	@Override
	public Duration maxTimeToLive() {
		return this.store.maxTimeToLive();
	}

	private <T extends @Nullable Object> T call(String part, Callable<T> request) throws Exception {
		FutureTask<T> response = new FutureTask<>(request);
		execute(part, response);
		try {
			return Deadlines.await(response, Deadlines.after(this.timeout));
		}
		catch (TimeoutException ex) {
			response.cancel(false);
			throw ex;
		}
		catch (ExecutionException ex) {
			if (ex.getCause() instanceof Exception failure) {
				throw failure;
			}
			throw ex;
		}
	}

	/**
	 * Run a task in a thread, in a present one if no other can start.
	 * @throws RejectedExecutionException if there is no thread or the store is closed
	 */
	private void execute(String part, Runnable task) {
		ThreadPoolExecutor executor = threads(part);
		try {
			executor.execute(task);
		}
		catch (OutOfMemoryError ex) {
			if (executor.getPoolSize() == 0) {
				throw new RejectedExecutionException("no thread can start (%s)".formatted(ex.getMessage()), ex);
			}
			executor.getQueue().add(task);
		}
	}

	/**
	 * Close the store.
	 * @throws IllegalStateException if it could not be closed
	 */
	@Override
	public void close() {
		this.threads.values().forEach(ThreadPoolExecutor::shutdown);
		if (this.store instanceof AutoCloseable closeable) {
			try {
				closeable.close();
			}
			catch (Exception ex) {
				throw new IllegalStateException("Could not close " + this.store, ex);
			}
		}
	}

}
