package io.leasehold.service;

import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/**
 * Callers in their order of arrival, linked through themselves so that giving up costs
 * the same in a long queue as in a short one. Guarded by the gate's monitor.
 */
final class WaitQueue {

	private @Nullable Acquisition head;

	private @Nullable Acquisition tail;

	@Nullable Acquisition peek() {
		return this.head;
	}

	void forEach(Consumer<Acquisition> action) {
		for (Acquisition entry = this.head; entry != null; entry = entry.next) {
			action.accept(entry);
		}
	}

	void add(Acquisition entry) {
		entry.previous = this.tail;
		if (this.tail != null) {
			this.tail.next = entry;
		}
		else {
			this.head = entry;
		}
		this.tail = entry;
	}

	void remove(Acquisition entry) {
		Acquisition previous = entry.previous;
		Acquisition next = entry.next;
		if (previous != null) {
			previous.next = next;
		}
		else {
			this.head = next;
		}
		if (next != null) {
			next.previous = previous;
		}
		else {
			this.tail = previous;
		}
		entry.previous = null;
		entry.next = null;
	}

}
