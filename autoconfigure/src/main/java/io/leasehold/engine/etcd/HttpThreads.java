package io.leasehold.engine.etcd;

import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/**
 * Threads for responses. A task runs in the calling thread if no thread can start: the
 * JDK's client would otherwise fail for good. No task blocks.
 *
 * @param threads the threads
 */
record HttpThreads(Executor threads) implements Executor {

	/** The threads of a closed client end after this time. */
	private static final int IDLE_SECONDS = 10;

	static ExecutorService pool() {
		CustomizableThreadFactory threads = new CustomizableThreadFactory("leasehold-etcd-http-");
		threads.setDaemon(true);
		return new ThreadPoolExecutor(0, Integer.MAX_VALUE, IDLE_SECONDS, TimeUnit.SECONDS, new SynchronousQueue<>(),
				threads);
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
