package io.leasehold.service;

import java.util.Collection;
import java.util.List;

import io.leasehold.engine.LockEngine;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.event.LockEventListener;

/**
 * The threads of a service that cannot start any more of them for a while, as in a
 * process that has reached its limit. Thread-safe.
 */
public final class ScarceThreads {

	private final FailingThreads threads = new FailingThreads();

	/** Create a service on these threads. */
	public LockService service(ServiceSettings settings, Collection<? extends LockEngine> engines, Member member,
			List<? extends LockEventListener> listeners) {
		return new LockService(settings, engines, member, MonotonicClock.SYSTEM, listeners, ReleaseTiming.IMMEDIATE,
				(engine) -> new EngineThreads(engine, this.threads), BlockingWaiter::new);
	}

	/** Set whether no thread can be started. */
	public void exhausted(boolean exhausted) {
		this.threads.exhausted(exhausted);
	}

}
