package io.leasehold.engine.etcd;

import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/**
 * Threads for responses. A task runs in the calling thread if no thread can start: the
 * JDK's client would otherwise fail for good. No task blocks.
 *
 * @param threads the threads
 */
record HttpThreads(Executor threads) implements Executor {

	static ExecutorService pool() {
		CustomizableThreadFactory threads = new CustomizableThreadFactory("leasehold-etcd-http-");
		threads.setDaemon(true);
		return Executors.newCachedThreadPool(threads);
	}

	@Override
	public void execute(Runnable task) {
		try {
			this.threads.execute(task);
		}
		catch (OutOfMemoryError ex) {
			task.run();
		}
	}

}
