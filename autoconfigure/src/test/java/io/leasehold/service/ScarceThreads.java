package io.leasehold.service;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.ThreadFactory;

import io.leasehold.engine.LockEngine;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.event.LockEventListener;

/**
 * The threads of a service that cannot start any more of them for a while, as in a
 * process that has reached its limit. Thread-safe.
 */
public final class ScarceThreads {

	private volatile boolean exhausted;

	/** Create a service on these threads. */
	public LockService service(ServiceSettings settings, Collection<? extends LockEngine> engines, Member member,
			List<? extends LockEventListener> listeners) {
		return new LockService(settings, engines, member, MonotonicClock.SYSTEM, listeners, ReleaseTiming.IMMEDIATE,
				this::of, BlockingWaiter::new);
	}

	/** Create the threads of an engine. */
	EngineThreads of(String engine) {
		return new EngineThreads(engine, this::named);
	}

	private ThreadFactory named(String name) {
		ThreadFactory threads = EngineThreads.daemons(name);
		return (task) -> {
			if (this.exhausted) {
				throw new OutOfMemoryError("unable to create native thread");
			}
			return threads.newThread(task);
		};
	}

	/** Set whether no thread can be started. */
	public void exhausted(boolean exhausted) {
		this.exhausted = exhausted;
	}

}
