package io.leasehold.engine.etcd;

import java.net.URI;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;

import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.Status;
import org.jspecify.annotations.Nullable;

/**
 * Watches of this process, on one stream to the member in use. A stream that fails ends
 * all of them. Thread-safe; never blocks.
 */
final class Watches {

	private final Store store;

	private @Nullable Stream stream;

	Watches(Store store) {
		this.store = store;
	}

	/** Open a watch. If this is not possible, it ends at once. */
	void open(Watch watch) {
		if (!stream().add(watch) && !stream().add(watch)) {
			watch.end(Watch.End.UNAVAILABLE);
		}
	}

	private synchronized Stream stream() {
		Stream present = this.stream;
		if (present == null || present.ended) {
			URI member = this.store.members().present();
			present = new Stream(member);
			present.call = this.store.watch(member, present);
			this.stream = present;
		}
		return present;
	}

	/** End a watch without a report. */
	void close(Watch watch) {
		Stream present;
		synchronized (this) {
			present = this.stream;
		}
		if (watch.close() && present != null) {
			present.remove(watch);
		}
	}

	/** Leave a member that is not in use any more: it may hang. */
	void follow(URI member) {
		Stream present;
		synchronized (this) {
			present = this.stream;
		}
		if (present != null && !present.member.equals(member)) {
			present.cancel();
		}
	}

	/**
	 * Stream of requests for watches and of their messages. The watches have numbers,
	 * which the server assigns, so each request waits for the response to the one before.
	 */
	private static final class Stream extends ClientCall.Listener<Message> {

		private static final int ID = 2;

		private static final int CREATED = 3;

		private static final int CANCELLED = 4;

		private static final int COMPACTED = 5;

		private static final int EVENTS = 11;

		/** A server that ends each watch at once must not cause a request at each end. */
		private static final Duration SHORT = Duration.ofSeconds(1);

		private final URI member;

		private final long opened = System.nanoTime();

		private final Map<Long, Watch> created = new HashMap<>();

		/** The first one was requested. */
		private final Queue<Watch> pending = new ArrayDeque<>();

		private @Nullable ClientCall<Message, Message> call;

		private volatile boolean ended;

		private Stream(URI member) {
			this.member = member;
		}

		private synchronized boolean add(Watch watch) {
			if (!this.ended) {
				this.pending.add(watch);
				if (this.pending.size() == 1) {
					send(watch.request());
				}
			}
			return !this.ended;
		}

		/** One that is not created yet is removed as soon as its number is known. */
		private synchronized void remove(Watch watch) {
			if (this.created.remove(watch.id(), watch) && !this.ended) {
				send(Message.of(2, Message.of(1, watch.id())));
			}
		}

		private void send(Message message) {
			if (this.call != null) {
				this.call.sendMessage(message);
			}
		}

		private synchronized void cancel() {
			if (this.call != null && !this.ended) {
				this.ended = true;
				this.call.cancel("The watches are not needed any more", null);
			}
		}

		@Override
		public void onMessage(Message message) {
			if (message.flag(CREATED) && message.flag(CANCELLED)) {
				cancel(); // the token has expired, and the server reads no more requests
				return;
			}
			Watch watch = watch(message);
			if (watch == null) {
				return;
			}
			if (message.flag(CANCELLED)) {
				watch.end((message.number(COMPACTED) > 0) ? Watch.End.MISSED : Watch.End.UNAVAILABLE);
			}
			else if (message.has(EVENTS)) {
				watch
					.removed(message.all(EVENTS).stream().map((event) -> KeyValue.of(event.message(2)).key()).toList());
			}
			if (watch.hasEnded()) {
				remove(watch);
			}
		}

		private synchronized @Nullable Watch watch(Message message) {
			long id = message.number(ID);
			if (message.flag(CREATED)) {
				Watch first = this.pending.remove();
				first.id(id);
				this.created.put(id, first);
				this.pending.removeIf(Watch::hasEnded);
				if (!this.pending.isEmpty()) {
					send(this.pending.element().request());
				}
			}
			return message.flag(CANCELLED) ? this.created.remove(id) : this.created.get(id);
		}

		@Override
		public void onClose(Status status, Metadata trailers) {
			List<Watch> rest;
			synchronized (this) {
				this.ended = true;
				rest = new ArrayList<>(this.created.values());
				rest.addAll(this.pending);
			}
			boolean brief = System.nanoTime() - this.opened < SHORT.toNanos();
			rest.forEach((watch) -> watch.end(brief ? Watch.End.UNAVAILABLE : Watch.End.MISSED));
		}

	}

}
