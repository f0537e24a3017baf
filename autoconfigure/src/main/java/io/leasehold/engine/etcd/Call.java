package io.leasehold.engine.etcd;

import java.net.URI;
import java.util.concurrent.CompletableFuture;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import org.jspecify.annotations.Nullable;

/**
 * One request to a member, and its first response. Thread-safe.
 */
final class Call extends ClientCall.Listener<Message> {

	private static final Metadata.Key<String> TOKEN = Metadata.Key.of("token", Metadata.ASCII_STRING_MARSHALLER);

	private static final Metadata.Key<String> HAS_LEADER = Metadata.Key.of("hasleader",
			Metadata.ASCII_STRING_MARSHALLER);

	private final URI member;

	private final ClientCall<Message, Message> call;

	private final CompletableFuture<Message> response = new CompletableFuture<>();

	private Call(URI member, ClientCall<Message, Message> call) {
		this.member = member;
		this.call = call;
	}

	static Call send(Channel channel, URI member, MethodDescriptor<Message, Message> method, Message request,
			@Nullable String token) {
		Call call = new Call(member, channel.newCall(method, CallOptions.DEFAULT));
		start(call.call, call, token);
		call.call.sendMessage(request);
		call.call.halfClose();
		return call;
	}

	/** Start a call, and accept all responses. */
	static void start(ClientCall<Message, Message> call, ClientCall.Listener<Message> listener,
			@Nullable String token) {
		Metadata headers = new Metadata();
		headers.put(HAS_LEADER, "true");
		if (token != null) {
			headers.put(TOKEN, token);
		}
		call.start(listener, headers);
		call.request(Integer.MAX_VALUE);
	}

	/** Return the response, or the {@link EtcdException}. */
	CompletableFuture<Message> response() {
		return this.response;
	}

	/** Do not wait any more; the request may still be executed. */
	void cancel() {
		this.call.cancel("The response is not awaited any more", null);
	}

	@Override
	public void onMessage(Message message) {
		this.response.complete(message);
	}

	@Override
	public void onClose(Status status, Metadata trailers) {
		if (!this.response.isDone()) {
			this.response.completeExceptionally(EtcdException.of(this.member, status));
		}
	}

}
