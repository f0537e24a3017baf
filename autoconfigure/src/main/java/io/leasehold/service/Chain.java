package io.leasehold.service;

import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/**
 * Callers or holds of a gate in their order of arrival, linked through themselves so that
 * leaving costs the same in a long chain as in a short one. Guarded by the gate's
 * monitor.
 *
 * @param <E> what is linked, in one chain at most
 */
final class Chain<E extends Chain.Link<E>> {

	private @Nullable E head;

	private @Nullable E tail;

	private int size;

	@Nullable E peek() {
		return this.head;
	}

	int size() {
		return this.size;
	}

	boolean isEmpty() {
		return this.head == null;
	}

	/** Do something with each, which may take that one out. */
	void forEach(Consumer<E> action) {
		E entry = this.head;
		while (entry != null) {
			E next = entry.next();
			action.accept(entry);
			entry = next;
		}
	}

	void add(E entry) {
		Link<E> link = entry;
		link.linked = true;
		link.previous = this.tail;
		if (this.tail != null) {
			((Link<E>) this.tail).next = entry;
		}
		else {
			this.head = entry;
		}
		this.tail = entry;
		this.size++;
	}

	/** Take something out, unless it is out already. */
	void remove(E entry) {
		Link<E> link = entry;
		if (!link.linked) {
			return;
		}
		E previous = link.previous;
		E next = link.next;
		if (previous != null) {
			((Link<E>) previous).next = next;
		}
		else {
			this.head = next;
		}
		if (next != null) {
			((Link<E>) next).previous = previous;
		}
		else {
			this.tail = previous;
		}
		link.linked = false;
		link.previous = null;
		link.next = null;
		this.size--;
	}

	/**
	 * What can be in a chain.
	 *
	 * @param <E> its own type
	 */
	abstract static class Link<E extends Link<E>> {

		private @Nullable E previous;

		private @Nullable E next;

		private boolean linked;

		/** Whether it is in its chain. */
		final boolean isLinked() {
			return this.linked;
		}

		final @Nullable E next() {
			return this.next;
		}

	}

}
