package io.leasehold.engine.support;

import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

import org.jspecify.annotations.Nullable;

import org.springframework.util.ClassUtils;

/**
 * Factory of daemon threads, which inherit nothing of the thread that starts them.
 * Otherwise code of the application would find there the user or tenant of another
 * caller. Their context class loader is that of the thread that created the factory.
 * Thread-safe.
 */
public final class DaemonThreads implements ThreadFactory {

	private final String prefix;

	private final @Nullable ClassLoader loader = ClassUtils.getDefaultClassLoader();

	private final AtomicInteger count = new AtomicInteger();

	/**
	 * Create a factory.
	 * @param prefix first part of the names, such as {@code leasehold-body-}
	 */
	public DaemonThreads(String prefix) {
		this.prefix = prefix;
	}

	@Override
	public Thread newThread(Runnable task) {
		Thread thread = new Thread(null, task, this.prefix + this.count.incrementAndGet(), 0, false);
		thread.setContextClassLoader(this.loader);
		thread.setPriority(Thread.NORM_PRIORITY);
		thread.setDaemon(true);
		return thread;
	}

}
