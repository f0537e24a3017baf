package io.leasehold.engine.etcd;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.Status;
import org.jspecify.annotations.Nullable;

/**
 * Open watch at a member. No message follows after it was closed. Thread-safe.
 */
final class WatchStream extends ClientCall.Listener<Message> implements AutoCloseable {

	private final ClientCall<Message, Message> call;

	private final Consumer<@Nullable Message> messages;

	private final AtomicBoolean ended = new AtomicBoolean();

	/**
	 * Create a watch that is not open yet.
	 * @param messages called for each message, and with {@code null} when it has ended
	 */
	WatchStream(Channel channel, Consumer<@Nullable Message> messages) {
		this.call = channel.newCall(Rpc.WATCH, CallOptions.DEFAULT);
		this.messages = messages;
	}

	void open(Message create, @Nullable String token) {
		Call.start(this.call, this, Message.of(1, create), token);
	}

	@Override
	public void onMessage(Message message) {
		if (!this.ended.get()) {
			this.messages.accept(message);
		}
	}

	@Override
	public void onClose(Status status, Metadata trailers) {
		if (this.ended.compareAndSet(false, true)) {
			this.messages.accept(null);
		}
	}

	@Override
	public void close() {
		this.ended.set(true);
		this.call.cancel("The watch is not needed any more", null);
	}

}
