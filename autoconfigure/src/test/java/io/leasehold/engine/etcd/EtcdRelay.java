package io.leasehold.engine.etcd;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

import io.grpc.Context;
import io.grpc.HandlerRegistry;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerMethodDefinition;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;

/**
 * A relay before real servers that changes their responses, as another member or leader
 * would send them. It balances requests: each one goes to the next server. It relays no
 * watches.
 */
final class EtcdRelay implements AutoCloseable {

	private static final Metadata.Key<String> TOKEN = Metadata.Key.of("token", Metadata.ASCII_STRING_MARSHALLER);

	private final ExecutorService threads = Executors.newCachedThreadPool();

	private final Map<String, UnaryOperator<Message>> changes = new ConcurrentHashMap<>();

	private final Map<String, Consumer<Message>> before = new ConcurrentHashMap<>();

	private final Map<String, AtomicInteger> requests = new ConcurrentHashMap<>();

	private final List<URI> targets;

	private final Channels channels = EtcdEngines.channels();

	private final AtomicInteger next = new AtomicInteger();

	private final Server server;

	EtcdRelay(String... targets) {
		this.targets = Arrays.stream(targets).map(URI::create).toList();
		try {
			this.server = NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
				.executor(this.threads)
				.fallbackHandlerRegistry(new AllMethods())
				.build()
				.start();
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

	String url() {
		return "http://127.0.0.1:" + this.server.getPort();
	}

	/** Change the responses of a method. They are lost if the change fails. */
	void change(MethodDescriptor<?, ?> method, UnaryOperator<Message> response) {
		this.changes.put(method.getFullMethodName(), response);
	}

	/** Change a response so that it is lost. */
	static Message lose(Message response) {
		throw new IllegalStateException("The response is lost");
	}

	void changeNothing() {
		this.changes.clear();
	}

	/** Do something before requests of a method reach the server. */
	void before(MethodDescriptor<?, ?> method, Runnable action) {
		this.before.put(method.getFullMethodName(), (request) -> action.run());
	}

	/**
	 * Do something before transactions of claims reach the server. They have conditions;
	 * those that keep sessions alive have none.
	 */
	void beforeClaims(Runnable action) {
		this.before.put(Rpc.TXN.getFullMethodName(), (request) -> {
			if (request.has(1)) {
				action.run();
			}
		});
	}

	/** Return the number of requests of a method. */
	int requests(MethodDescriptor<?, ?> method) {
		return count(method.getFullMethodName()).get();
	}

	/** Return the number of all requests, without watches. */
	int requests() {
		return this.requests.values().stream().mapToInt(AtomicInteger::get).sum();
	}

	private AtomicInteger count(String method) {
		return this.requests.computeIfAbsent(method, (first) -> new AtomicInteger());
	}

	private void relay(URI target, ServerCall<Message, Message> call, Message request, Metadata headers) {
		String method = call.getMethodDescriptor().getFullMethodName();
		count(method).incrementAndGet();
		Status status = Status.OK;
		try {
			this.before.getOrDefault(method, (any) -> {
			}).accept(request);
			Message response = forward(target, call.getMethodDescriptor(), request, headers);
			Message changed = this.changes.getOrDefault(method, UnaryOperator.identity()).apply(response);
			call.sendHeaders(new Metadata());
			call.sendMessage(changed);
		}
		catch (CompletionException ex) {
			EtcdException failure = EtcdException.of(ex.getCause());
			status = Status.fromCode(failure.code()).withDescription(failure.getMessage());
		}
		catch (IllegalStateException ex) {
			status = Status.UNAVAILABLE.withCause(ex);
		}
		call.close(status, new Metadata());
	}

	/**
	 * Forward a request, also one whose client does not wait for the response any more.
	 */
	private Message forward(URI target, MethodDescriptor<Message, Message> method, Message request, Metadata headers) {
		Context cancelled = Context.ROOT.attach();
		try {
			return Call.send(this.channels.to(target), target, method, request, headers.get(TOKEN)).response().join();
		}
		finally {
			Context.ROOT.detach(cancelled);
		}
	}

	@Override
	public void close() {
		this.server.shutdownNow();
		this.threads.shutdownNow();
		this.channels.close();
	}

	/**
	 * Methods of etcd, by any name. Each but watches has one request.
	 */
	private final class AllMethods extends HandlerRegistry {

		@Override
		public ServerMethodDefinition<?, ?> lookupMethod(String name, String authority) {
			if (name.equals(Rpc.WATCH.getFullMethodName())) {
				return null;
			}
			MethodDescriptor<Message, Message> method = Rpc.unary(name.substring(name.indexOf('.') + 1));
			return ServerMethodDefinition
				.create(method.toBuilder().setType(MethodDescriptor.MethodType.UNKNOWN).build(), this::start);
		}

		private ServerCall.Listener<Message> start(ServerCall<Message, Message> call, Metadata headers) {
			URI target = EtcdRelay.this.targets
				.get(Math.floorMod(EtcdRelay.this.next.getAndIncrement(), EtcdRelay.this.targets.size()));
			call.request(2);
			return new ServerCall.Listener<>() {

				private Message request;

				@Override
				public void onMessage(Message message) {
					this.request = message;
				}

				@Override
				public void onHalfClose() {
					relay(target, call, this.request, headers);
				}

				/** A connection that does not respond is left, as by the engine. */
				@Override
				public void onCancel() {
					EtcdRelay.this.channels.replace(target, EtcdRelay.this.channels.to(target));
				}

			};
		}

	}

}
