package io.leasehold.interceptor;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

import io.leasehold.engine.support.DaemonThreads;
import io.micrometer.context.ContextSnapshot;
import io.micrometer.context.ContextSnapshotFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.util.ClassUtils;
import org.springframework.util.function.SingletonSupplier;

/**
 * The threads that call methods whose result is a stage. This class is not an
 * {@link Executor}, because such a bean would replace the application's executor.
 * Thread-safe.
 */
public final class BodyThreads implements AutoCloseable {

	private static final boolean CONTEXT = ClassUtils.isPresent("io.micrometer.context.ContextSnapshotFactory",
			BodyThreads.class.getClassLoader());

	private final ThreadFactory daemons = new DaemonThreads("leasehold-body-");

	private final Supplier<Executor> executor;

	private volatile @Nullable ThreadPoolExecutor own;

	/**
	 * Create the threads.
	 * @param application returns the executor to use, or {@code null} for a pool that
	 * this object owns; called once, for the first task
	 * @param maxThreads largest number of threads of that pool
	 */
	public BodyThreads(Supplier<@Nullable Executor> application, int maxThreads) {
		this.executor = SingletonSupplier.of(() -> {
			Executor given = application.get();
			return (given != null) ? given : pool(maxThreads);
		});
	}

	private Executor pool(int size) {
		ThreadPoolExecutor pool = new ThreadPoolExecutor(size, size, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(),
				this.daemons);
		pool.allowCoreThreadTimeOut(true);
		this.own = pool;
		return pool;
	}

	/**
	 * Run a task in one of the threads.
	 * @throws java.util.concurrent.RejectedExecutionException if the executor rejects it
	 */
	void execute(Runnable task) {
		this.executor.get().execute(task);
	}

	/** Capture the context of the calling thread for a task of another thread. */
	static UnaryOperator<Runnable> context() {
		return CONTEXT ? Captured.now() : UnaryOperator.identity();
	}

	/**
	 * Begin an acquisition with the thread-local values of a subscriber, such as its
	 * current observation, which Reactor leaves in the subscriber's context.
	 * @param context the context of the subscriber
	 * @param unused closes what was acquired if the thread's former values cannot be
	 * restored; the result is a failure then
	 */
	static <T> CompletableFuture<T> within(Object context, Supplier<CompletableFuture<T>> acquisition,
			Consumer<T> unused) {
		return CONTEXT ? Captured.within(context, acquisition, unused) : acquisition.get();
	}

	/** Shut down the pool that this object owns. Queued tasks still run. */
	@Override
	public void close() {
		ThreadPoolExecutor pool = this.own;
		if (pool != null) {
			pool.shutdown();
		}
	}

	/** Loaded only if Micrometer's context propagation is present. */
	private static final class Captured {

		private static final ContextSnapshotFactory FACTORY = ContextSnapshotFactory.builder().build();

		static UnaryOperator<Runnable> now() {
			return FACTORY.captureAll()::wrap;
		}

		@SuppressWarnings("try")
		static <T> CompletableFuture<T> within(Object context, Supplier<CompletableFuture<T>> acquisition,
				Consumer<T> unused) {
			CompletableFuture<T> begun = new CompletableFuture<>();
			try (ContextSnapshot.Scope scope = FACTORY.setThreadLocalsFrom(context)) {
				begun = acquisition.get();
			}
			catch (RuntimeException | Error ex) {
				begun.cancel(true);
				begun.thenAccept(unused); // it was faster
				return CompletableFuture.failedFuture(ex);
			}
			return begun;
		}

	}

}
