package io.leasehold.engine.redis;

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
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.util.SafeEncoder;

/**
 * One of Jedis' connections, used both ways at once: one thread writes what is sent,
 * another one reads the answers, so that callers block no longer than they want to.
 */
final class JedisConnection implements Connection, Ear {

	private final Socket socket;

	private final Consumer<String> messages;

	private final Consumer<JedisConnection> closed;

	private final BlockingQueue<Request> requests = new LinkedBlockingQueue<>();

	private final Queue<Request> unanswered = new ConcurrentLinkedQueue<>();

	private final AtomicBoolean open = new AtomicBoolean(true);

	private final Thread writer;

	private final Thread reader;

	/**
	 * Connect and log in.
	 * @param messages told of each message of a subscription
	 * @param closed told when the connection has been closed or broke
	 * @throws JedisException if there is no connection
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

	/** Begin to write and read. */
	void start() {
		this.writer.start();
		this.reader.start();
	}

	@Override
	public boolean isOpen() {
		return this.open.get();
	}

	@Override
	public CompletableFuture<@Nullable Object> send(String command, String... arguments) {
		Request request = new Request(Protocol.Command.valueOf(command), arguments, new CompletableFuture<>());
		this.requests.add(request);
		if (!isOpen()) {
			failAll(RedisFailure.noAnswer("connection is closed", null));
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
				this.unanswered.add(request);
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
			Object answer = SafeEncoder.encodeObject(this.socket.getUnflushedObject());
			if (answer instanceof List<?> list && !list.isEmpty() && "message".equals(list.get(0))) {
				this.messages.accept((String) list.get(2));
			}
			else {
				this.unanswered.remove().reply().complete(answer);
			}
		}
		catch (JedisDataException ex) { // an answer that is an error
			this.unanswered.remove().reply().completeExceptionally(failure(ex));
		}
	}

	@Override
	public void close() {
		end(RedisFailure.noAnswer("connection is closed", null));
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
		for (Queue<Request> queue : List.of(this.unanswered, this.requests)) {
			for (Request request = queue.poll(); request != null; request = queue.poll()) {
				request.reply().completeExceptionally(failure);
			}
		}
	}

	/** Translate an exception of Jedis. */
	static RedisFailure failure(JedisException thrown) {
		String message = String.valueOf(thrown.getMessage());
		return (thrown instanceof JedisDataException) ? RedisFailure.refusal(message, thrown)
				: RedisFailure.noAnswer(message, thrown);
	}

	private record Request(Protocol.Command command, String[] arguments, CompletableFuture<@Nullable Object> reply) {
	}

	/** Opens what Jedis keeps to itself. */
	private static final class Socket extends redis.clients.jedis.Connection {

		Socket(HostAndPort server, JedisClientConfig config) {
			super(server, config);
		}

		@Override
		protected void flush() {
			super.flush();
		}

		/** Jedis lets its sockets drop what is not delivered. */
		void discard() {
			try {
				forceDisconnect();
			}
			catch (IOException ex) {
				// Closed all the same
			}
		}

	}

}
