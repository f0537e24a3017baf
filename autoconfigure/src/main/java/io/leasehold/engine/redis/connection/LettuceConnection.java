package io.leasehold.engine.redis.connection;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.NestedMultiOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import org.jspecify.annotations.Nullable;

/**
 * Lettuce connection that never reconnects.
 */
final class LettuceConnection implements Connection {

	private final StatefulRedisConnection<String, String> connection;

	private final AtomicBoolean closed = new AtomicBoolean();

	LettuceConnection(StatefulRedisConnection<String, String> connection) {
		this.connection = connection;
	}

	@Override
	public boolean isOpen() {
		return this.connection.isOpen();
	}

	@Override
	public CompletableFuture<@Nullable Object> send(String command, String... arguments) {
		AnyOutput output = new AnyOutput();
		Reply reply = new Reply();
		AsyncCommand<String, String, List<Object>> request = new AsyncCommand<>(
				new Command<>(CommandType.valueOf(command), output, new Words(reply, arguments)));
		request.whenComplete((response, failure) -> {
			if (failure != null) {
				reply.fail(failure(failure));
			}
			else {
				reply.complete(output.isList() ? response : response.get(0));
			}
		});
		try {
			this.connection.dispatch(request);
		}
		catch (RedisException ex) {
			reply.fail(failure(ex));
		}
		return reply;
	}

	@Override
	public void close() {
		if (this.closed.compareAndSet(false, true)) { // Lettuce warns if closed twice
			this.connection.closeAsync();
		}
	}

	/** Translate an exception of Lettuce, or one that wraps it. */
	static RedisFailure failure(Throwable thrown) {
		for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
			if (cause instanceof RedisCommandExecutionException && cause.getMessage() != null) {
				return RedisFailure.refusal(cause.getMessage(), thrown);
			}
		}
		return RedisFailure.noResponse((thrown.getMessage() != null) ? thrown.getMessage() : "connection is closed",
				thrown);
	}

	/**
	 * Arguments of a command, written at once. Separate arguments, each encoded into a
	 * separate buffer, cost more than the rest of a request. Lettuce always sends a
	 * request through this class, which therefore records that the request is being sent.
	 */
	private static final class Words extends CommandArgs<String, String> {

		private final Reply reply;

		private final String[] words;

		Words(Reply reply, String... words) {
			super(StringCodec.UTF8);
			this.reply = reply;
			this.words = words;
		}

		@Override
		public int count() {
			return this.words.length;
		}

		@Override
		public void encode(ByteBuf to) {
			if (!this.reply.beginWriting()) {
				throw new IllegalStateException("The request has failed, or has been written");
			}
			for (String word : this.words) {
				to.writeByte('$');
				ByteBufUtil.writeAscii(to, Integer.toString(ByteBufUtil.utf8Bytes(word)));
				ByteBufUtil.writeAscii(to, "\r\n");
				ByteBufUtil.writeUtf8(to, word);
				ByteBufUtil.writeAscii(to, "\r\n");
			}
		}

	}

	/**
	 * Output for any response, which distinguishes a list from a single value.
	 */
	private static final class AnyOutput extends NestedMultiOutput<String, String> {

		private boolean list;

		AnyOutput() {
			super(StringCodec.UTF8);
		}

		@Override
		public void multi(int count) {
			this.list = true;
			super.multi(count);
		}

		boolean isList() {
			return this.list;
		}

	}

}
