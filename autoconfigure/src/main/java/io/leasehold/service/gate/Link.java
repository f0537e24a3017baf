package io.leasehold.service.gate;

import java.util.Objects;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/**
 * A waiter or hold of a gate, linked with the others in their order of arrival. Such a
 * chain is known by its first one and needs nothing else; leaving costs the same in a
 * long chain as in a short one. Guarded by the gate's monitor.
 *
 * @param <E> what is linked, in one chain at most
 */
abstract class Link<E extends Link<E>> {

	/** Of the first one it is the last; nothing outside a chain. */
	@Nullable E previous;

	@Nullable E next;

	/** Whether it is in its chain. */
	final boolean isLinked() {
		return this.previous != null;
	}

	/** Do something with each, which may take that one out. */
	static <E extends Link<E>> void forEach(@Nullable E first, Consumer<E> action) {
		E entry = first;
		while (entry != null) {
			E next = entry.next;
			action.accept(entry);
			entry = next;
		}
	}

	/** Add something to the end of a chain, and return the chain's first. */
	static <E extends Link<E>> E add(@Nullable E first, E added) {
		if (first == null) {
			added.previous = added;
			return added;
		}
		E last = Objects.requireNonNull(first.previous);
		last.next = added;
		added.previous = last;
		first.previous = added;
		return first;
	}

	/**
	 * Take something out of a chain, unless it is out already, and return the chain's
	 * first, if any is left.
	 */
	static <E extends Link<E>> @Nullable E remove(@Nullable E first, E removed) {
		E previous = removed.previous;
		E next = removed.next;
		if (first == null || previous == null) {
			return first;
		}
		((next != null) ? next : first).previous = previous;
		removed.previous = null;
		removed.next = null;
		if (removed == first) {
			return next;
		}
		previous.next = next;
		return first;
	}

}
