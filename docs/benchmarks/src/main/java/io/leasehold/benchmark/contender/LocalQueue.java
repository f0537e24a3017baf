package io.leasehold.benchmark.contender;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The floor of contended work: the threads of a JVM queue up for each key before the
 * first of them makes bare calls.
 */
final class LocalQueue implements Contender {

	private final Contender calls;

	private final Map<String, ReentrantLock> queues = new ConcurrentHashMap<>();

	LocalQueue(Contender calls) {
		this.calls = calls;
	}

	@Override
	public Held acquire(String key) throws Exception {
		ReentrantLock queue = this.queues.computeIfAbsent(key, (absent) -> new ReentrantLock(true));
		queue.lock();
		Held held = this.calls.acquire(key);
		return () -> {
			held.release();
			queue.unlock();
		};
	}

	@Override
	public void close() {
		this.calls.close();
	}

}
