package io.leasehold.service.gate;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

/**
 * Element of a linked list: a waiter or a hold of a gate, in the order of arrival. A list
 * is identified by its first element. Removal takes constant time. Guarded by the gate's
 * monitor.
 *
 * @param <E> type of the elements, each in one list at most
 */
abstract class Link<E extends Link<E>> {

	/** Previous element; for the first one the last; {@code null} outside a list. */
	@Nullable E previous;

	@Nullable E next;

	/** Return whether this element is in a list. */
	final boolean isLinked() {
		return this.previous != null;
	}

	/** Return the elements of a list, as they are now. */
	static <E extends Link<E>> List<E> all(@Nullable E first) {
		List<E> all = new ArrayList<>(1);
		for (E element = first; element != null; element = element.next) {
			all.add(element);
		}
		return all;
	}

	/** Append an element, and return the first one of the list. */
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
	 * Remove an element unless it is in no list, and return the first one that is left,
	 * or {@code null}.
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
