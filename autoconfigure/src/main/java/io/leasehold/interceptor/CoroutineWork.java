package io.leasehold.interceptor;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

import io.leasehold.HeldLock;
import io.leasehold.HeldLockScope;
import kotlin.Unit;
import kotlin.coroutines.AbstractCoroutineContextElement;
import kotlin.coroutines.CoroutineContext;
import kotlinx.coroutines.CoroutineScope;
import kotlinx.coroutines.Job;
import kotlinx.coroutines.ThreadContextElement;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;

/**
 * Coroutines that run a body under its lock. They inherit this element of their context,
 * so each thread that runs one of them is in a scope of the lock. The work ends when the
 * jobs of all these coroutines have completed. A cancelled job completes after the code
 * of its coroutine has ended. Thread-safe.
 */
final class CoroutineWork extends AbstractCoroutineContextElement
		implements ThreadContextElement<HeldLockScope>, ReactiveWork {

	private final HeldLock held;

	private final Function<CoroutineContext, Publisher<Object>> method;

	/** Jobs, and subscriptions that may start a coroutine now. */
	private final Set<Object> live = new HashSet<>();

	private final CompletableFuture<Void> end = new CompletableFuture<>();

	private boolean cancelled;

	private boolean over;

	/**
	 * Create the work.
	 * @param method calls the method, whose coroutines get this element
	 */
	CoroutineWork(HeldLock held, Function<CoroutineContext, Publisher<Object>> method) {
		super(new Key());
		this.held = held;
		this.method = method;
	}

	@Override
	public Publisher<Object> begin() {
		return (subscriber) -> {
			Object subscription = new Object();
			add(subscription);
			try {
				(isOver() ? Flux.<Object>never() : this.method.apply(this)).subscribe(subscriber);
			}
			finally {
				remove(subscription);
			}
		};
	}

	@Override
	public CompletableFuture<Void> whenEnded() {
		synchronized (this) {
			this.cancelled = true;
		}
		endIfUnused();
		return this.end;
	}

	@Override
	public HeldLockScope updateThreadContext(CoroutineContext context) {
		Job job = context.get(Job.Key);
		// Without a dispatcher, withContext also passes jobs that are no coroutines
		if (job instanceof CoroutineScope && add(job)) {
			job.invokeOnCompletion((failure) -> {
				remove(job);
				return Unit.INSTANCE;
			});
			if (isOver()) {
				job.cancel(null); // not started yet, and must not start without the lock
			}
		}
		return HeldLockScope.open(this.held);
	}

	@Override
	public void restoreThreadContext(CoroutineContext context, HeldLockScope scope) {
		scope.close();
	}

	/** Return whether a part is new. The work ends after its parts are removed. */
	private synchronized boolean add(Object part) {
		return this.live.add(part);
	}

	private void remove(Object part) {
		synchronized (this) {
			this.live.remove(part);
		}
		endIfUnused();
	}

	/** Return whether the work has ended. It never begins again. */
	private synchronized boolean isOver() {
		this.over |= this.cancelled && this.live.isEmpty();
		return this.over;
	}

	private void endIfUnused() {
		if (isOver()) {
			this.end.complete(null);
		}
	}

	/** Key of one instance, so that the elements of nested bodies do not replace it. */
	private static final class Key implements CoroutineContext.Key<CoroutineWork> {

	}

}
