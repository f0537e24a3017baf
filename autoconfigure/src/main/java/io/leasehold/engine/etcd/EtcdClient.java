package io.leasehold.engine.etcd;

import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ConnectivityState;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.leasehold.engine.support.Deadlines;
import org.jspecify.annotations.Nullable;

/**
 * Requests to etcd, each sent once to one member. Logs in if there are credentials, and
 * again when the token has expired. Thread-safe.
 */
final class EtcdClient implements AutoCloseable {

	private static final Duration LOGIN_TIMEOUT = Duration.ofSeconds(10);

	private final Channels channels;

	private final boolean alone;

	private final @Nullable Login login;

	/**
	 * Create a client.
	 * @param alone whether there is only one member
	 * @param credentials request that logs in, or {@code null} if none is needed
	 */
	EtcdClient(Channels channels, boolean alone, @Nullable Message credentials) {
		this.channels = channels;
		this.alone = alone;
		this.login = (credentials != null) ? new Login((member) -> logIn(member, credentials)) : null;
	}

	/**
	 * Send a request and wait for its response. An interrupt does not end the wait.
	 * @throws EtcdException if the member rejected the request, or did not respond by the
	 * deadline. Then the request is cancelled, but may still be executed
	 */
	Message send(URI member, MethodDescriptor<Message, Message> method, Message request, long deadline)
			throws EtcdException {
		return sendAll(member, method, List.of(request), deadline).get(0);
	}

	/**
	 * Send requests concurrently, as {@link #send} does, and return their responses in
	 * the same order. If one fails, the others may have been executed.
	 */
	List<Message> sendAll(URI member, MethodDescriptor<Message, Message> method, List<Message> requests, long deadline)
			throws EtcdException {
		if (this.login == null) {
			return sendAll(member, method, requests, null, deadline);
		}
		String used = this.login.token(member, deadline);
		try {
			return sendAll(member, method, requests, used, deadline);
		}
		catch (EtcdException ex) {
			if (!ex.isOfTheLogin()) {
				throw ex;
			}
			this.login.forget(used);
			return sendAll(member, method, requests, this.login.token(member, deadline), deadline);
		}
	}

	/**
	 * The timeout is longer than that of a call: a busy server takes long for a login.
	 */
	private CompletableFuture<String> logIn(URI member, Message credentials) {
		Call call = Call.send(this.channels.to(member), member, Rpc.LOGIN, credentials, null);
		return call.response()
			.orTimeout(LOGIN_TIMEOUT.toSeconds(), TimeUnit.SECONDS)
			.whenComplete((response, failure) -> call.cancel())
			.thenApply((response) -> response.text(2));
	}

	private List<Message> sendAll(URI member, MethodDescriptor<Message, Message> method, List<Message> requests,
			@Nullable String token, long deadline) throws EtcdException {
		ManagedChannel channel = this.channels.to(member);
		List<Call> calls = new ArrayList<>(requests.size());
		try {
			requests.forEach((request) -> calls.add(Call.send(channel, member, method, request, token)));
			List<Message> responses = new ArrayList<>(calls.size());
			for (Call call : calls) {
				responses.add(await(member, channel, call, deadline));
			}
			return responses;
		}
		finally {
			calls.forEach(Call::cancel); // responses that have arrived are not affected
		}
	}

	/**
	 * A member that does not accept the connection in half of the time is left, unless it
	 * is the only one.
	 */
	private Message await(URI member, ManagedChannel channel, Call call, long deadline) throws EtcdException {
		try {
			long left = Deadlines.left(deadline);
			try {
				return Deadlines.await(call.response(), deadline - left / 2);
			}
			catch (TimeoutException ex) {
				if (!this.alone && channel.getState(false) != ConnectivityState.READY) {
					throw new EtcdException(Status.Code.UNAVAILABLE,
							"%s did not accept a connection in time".formatted(member), ex);
				}
				return Deadlines.await(call.response(), deadline);
			}
		}
		catch (ExecutionException ex) {
			throw EtcdException.of(ex.getCause());
		}
		catch (TimeoutException ex) {
			this.channels.replace(member, channel);
			throw EtcdException.late("%s did not respond within the call timeout".formatted(member));
		}
	}

	/**
	 * Open a stream of watches, with the token of the last request. It may have expired:
	 * then watches are rejected, and the next request logs in.
	 */
	ClientCall<Message, Message> watch(URI member, ClientCall.Listener<Message> listener) {
		ClientCall<Message, Message> call = this.channels.to(member).newCall(Rpc.WATCH, CallOptions.DEFAULT);
		Call.start(call, listener, (this.login != null) ? this.login.present() : null);
		return call;
	}

	@Override
	public void close() {
		this.channels.close();
	}

}
