package io.leasehold.engine.redis;

import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.NestedMultiOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import org.jspecify.annotations.Nullable;

/**
 * One of Lettuce's connections, which is told not to reconnect.
 */
record LettuceConnection(StatefulRedisConnection<String, String> connection) implements Connection {

	@Override
	public boolean isOpen() {
		return this.connection.isOpen();
	}

	@Override
	public CompletableFuture<@Nullable Object> send(String command, String... arguments) {
		CommandArgs<String, String> args = new CommandArgs<>(StringCodec.UTF8);
		for (String argument : arguments) {
			args.addValue(argument);
		}
		AnyOutput output = new AnyOutput();
		AsyncCommand<String, String, List<Object>> request = new AsyncCommand<>(
				new Command<>(CommandType.valueOf(command), output, args));
		CompletableFuture<@Nullable Object> reply = new CompletableFuture<>();
		request.whenComplete((answer, failure) -> {
			if (failure != null) {
				reply.completeExceptionally(failure(failure));
			}
			else {
				reply.complete(output.isList() ? answer : answer.get(0));
			}
		});
		try {
			this.connection.dispatch(request);
		}
		catch (RedisException ex) {
			reply.completeExceptionally(failure(ex));
		}
		return reply;
	}

	@Override
	public void close() {
		this.connection.closeAsync();
	}

	/** Translate an exception of Lettuce, or one that wraps it. */
	static RedisFailure failure(Throwable thrown) {
		for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
			if (cause instanceof RedisCommandExecutionException && cause.getMessage() != null) {
				return RedisFailure.refusal(cause.getMessage(), thrown);
			}
		}
		return RedisFailure.noAnswer((thrown.getMessage() != null) ? thrown.getMessage() : "connection is closed",
				thrown);
	}

	/**
	 * Takes any answer, and knows a list from what is alone.
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
