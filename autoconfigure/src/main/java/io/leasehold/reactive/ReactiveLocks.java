package io.leasehold.reactive;

import java.util.ArrayList;
import java.util.List;

import io.leasehold.HeldLock;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/**
 * Access to the locks of a subscription: the reactive counterpart of
 * {@link HeldLock#current()}.
 */
public final class ReactiveLocks {

	private ReactiveLocks() {
	}

	/**
	 * Return the lock of the annotated method whose result is subscribed to.
	 * @return the innermost lock, or an {@link IllegalStateException} if there is none
	 */
	public static Mono<HeldLock> current() {
		return Mono.deferContextual((context) -> {
			List<HeldLock> held = held(context);
			return held.isEmpty() ? Mono.error(new IllegalStateException(
					"No lock is held: ReactiveLocks.current() must be part of the publisher that a method"
							+ " annotated with @DistributedLock returns"))
					: Mono.just(held.get(0));
		});
	}

	/**
	 * Return the locks of a context.
	 * @param context the context of a subscription
	 * @return the locks, innermost first
	 */
	public static List<HeldLock> held(ContextView context) {
		List<HeldLock> locks = context.getOrDefault(ReactiveLocks.class, null);
		return (locks != null) ? locks : List.of();
	}

	/**
	 * Add a lock to a context as its innermost one.
	 * @param context the context of a subscription
	 * @return the new context
	 */
	public static Context add(Context context, HeldLock lock) {
		List<HeldLock> locks = new ArrayList<>();
		locks.add(lock);
		locks.addAll(held(context));
		return context.put(ReactiveLocks.class, List.copyOf(locks));
	}

}
