package io.leasehold.engine.redis.connection;

import java.io.IOException;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.util.SafeEncoder;

/**
 * Jedis connection with concurrent writes and reads: one thread writes requests, another
 * one reads responses. So callers block until their deadlines at most.
 */
final class JedisConnection implements Connection, SubscribedConnection {

	private final Socket socket;

	private final Consumer<String> messages;

	private final Consumer<JedisConnection> closed;

	private final BlockingQueue<Request> requests = new LinkedBlockingQueue<>();

	private final Queue<Request> pending = new ConcurrentLinkedQueue<>();

	private final AtomicBoolean open = new AtomicBoolean(true);

	private final Thread writer;

	private final Thread reader;

	/**
	 * Connect and log in.
	 * @param messages called with each message of a subscription
	 * @param closed called when the connection has been closed or broke
	 * @throws JedisException if the connection fails
	 */
	JedisConnection(HostAndPort server, JedisClientConfig config, Consumer<String> messages,
			Consumer<JedisConnection> closed) {
		this.socket = new Socket(server, config);
		this.socket.setTimeoutInfinite();
		this.messages = messages;
		this.closed = closed;
		this.writer = thread("leasehold-redis-writer-" + server, this::write);
		this.reader = thread("leasehold-redis-reader-" + server, this::read);
	}

	private static Thread thread(String name, Runnable task) {
		Thread thread = new Thread(task, name);
		thread.setDaemon(true);
		return thread;
	}

	void start() {
		this.writer.start();
		this.reader.start();
	}

	@Override
	public boolean isOpen() {
		return this.open.get();
	}

	@Override
	public CompletableFuture<@Nullable Object> send(Consumer<@Nullable RedisFailure> ended, String command,
			String... arguments) {
		Request request = new Request(Protocol.Command.valueOf(command), arguments, new Reply(ended));
		this.requests.add(request);
		if (!isOpen()) {
			failAll(closed());
		}
		return request.reply();
	}

	@Override
	public CompletionStage<?> ping() {
		return send("PING");
	}

	private void write() {
		try {
			while (isOpen()) {
				Request request = this.requests.take();
				this.pending.add(request);
				// An interrupt that meets a request does not end the wait for it
				if (!isOpen() || !request.reply().beginWriting()) {
					failAll(closed());
					return;
				}
				this.socket.sendCommand(request.command(), request.arguments());
				if (this.requests.isEmpty()) {
					this.socket.flush();
				}
			}
		}
		catch (InterruptedException ex) {
			// Closed
		}
		catch (JedisException ex) {
			end(failure(ex));
		}
	}

	private void read() {
		try {
			while (isOpen()) {
				take();
			}
		}
		catch (JedisException ex) {
			end(failure(ex));
		}
	}

	private void take() {
		try {
			Object response = SafeEncoder.encodeObject(this.socket.getUnflushedObject());
			if (response instanceof List<?> list && !list.isEmpty() && "message".equals(list.get(0))) {
				this.messages.accept((String) list.get(2));
			}
			else {
				oldestPending().complete(response);
			}
		}
		catch (JedisDataException ex) { // an error response
			oldestPending().fail(failure(ex));
		}
	}

	/**
	 * Return the reply of a response: the oldest one. On a closed connection the oldest
	 * replies have failed already, so the response would complete a later request.
	 */
	private Reply oldestPending() {
		Request oldest = this.pending.poll();
		if (oldest != null && isOpen()) {
			return oldest.reply();
		}
		if (oldest != null) {
			oldest.reply().fail(closed());
		}
		throw new JedisConnectionException("A response arrived without a request");
	}

	@Override
	public void close() {
		end(closed());
	}

	private void end(RedisFailure failure) {
		if (this.open.compareAndSet(true, false)) {
			this.socket.discard();
			this.writer.interrupt();
			this.closed.accept(this);
		}
		failAll(failure);
	}

	private void failAll(RedisFailure failure) {
		for (Queue<Request> queue : List.of(this.pending, this.requests)) {
			for (Request request = queue.poll(); request != null; request = queue.poll()) {
				request.reply().fail(failure);
			}
		}
	}

	private static RedisFailure closed() {
		return RedisFailure.noResponse("connection is closed", null);
	}

	static RedisFailure failure(JedisException thrown) {
		String message = String.valueOf(thrown.getMessage());
		return (thrown instanceof JedisDataException) ? RedisFailure.refusal(message, thrown)
				: RedisFailure.noResponse(message, thrown);
	}

	private record Request(Protocol.Command command, String[] arguments, Reply reply) {
	}

	/** Jedis connection that exposes protected methods and connects only once. */
	static final class Socket extends redis.clients.jedis.Connection {

		private boolean connected;

		Socket(HostAndPort server, JedisClientConfig config) {
			super(server, config);
			this.connected = true;
		}

		/**
		 * Connect unless the connection was closed. Jedis connects before each command,
		 * which would send a request of a closed connection through a new one.
		 */
		@Override
		public void connect() {
			if (this.connected && !isConnected()) {
				throw new JedisConnectionException("connection is closed");
			}
			super.connect();
		}

		@Override
		protected void flush() {
			super.flush();
		}

		/** Close the socket. Jedis configures it to discard undelivered data. */
		void discard() {
			try {
				forceDisconnect();
			}
			catch (IOException ex) {
				// The socket is closed anyway
			}
		}

	}

}
