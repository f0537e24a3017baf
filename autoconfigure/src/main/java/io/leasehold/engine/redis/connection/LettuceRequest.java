package io.leasehold.engine.redis.connection;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.output.NestedMultiOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.RedisCommand;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import org.jspecify.annotations.Nullable;

/**
 * Request of a {@link LettuceConnection}, and its response. Lettuce's own classes need
 * four objects for a request, and one more for each argument. Lettuce always sends a
 * request through {@link #encode}, which therefore records that it is being sent.
 */
final class LettuceRequest extends Reply implements RedisCommand<String, String, Object> {

	private static final byte[] LINE_END = "\r\n".getBytes(StandardCharsets.US_ASCII);

	private final CommandType command;

	private final String[] words;

	private CommandOutput<String, String, Object> output = new AnyOutput();

	/**
	 * Create a request.
	 * @param words the arguments of the command; not changed afterwards
	 */
	LettuceRequest(Consumer<@Nullable RedisFailure> ended, String command, String... words) {
		super(ended);
		this.command = CommandType.valueOf(command);
		this.words = words;
	}

	@Override
	public CommandType getType() {
		return this.command;
	}

	@Override
	@SuppressWarnings("NullAway") // Only tracing reads arguments, and accepts null
	public @Nullable CommandArgs<String, String> getArgs() {
		return null;
	}

	@Override
	public CommandOutput<String, String, Object> getOutput() {
		return this.output;
	}

	@Override
	public void setOutput(CommandOutput<String, String, Object> output) {
		this.output = output;
	}

	@Override
	public void encode(ByteBuf to) {
		if (!beginWriting()) {
			throw new IllegalStateException("The request has failed, or has been written");
		}
		writeNumber(to, '*', 1 + this.words.length);
		byte[] name = this.command.getBytes();
		writeNumber(to, '$', name.length);
		to.writeBytes(name).writeBytes(LINE_END);
		for (String word : this.words) {
			writeNumber(to, '$', ByteBufUtil.utf8Bytes(word));
			ByteBufUtil.writeUtf8(to, word);
			to.writeBytes(LINE_END);
		}
	}

	private static void writeNumber(ByteBuf to, char type, int number) {
		to.writeByte(type);
		writeDigits(to, number);
		to.writeBytes(LINE_END);
	}

	private static void writeDigits(ByteBuf to, int number) {
		if (number >= 10) {
			writeDigits(to, number / 10);
		}
		to.writeByte('0' + number % 10);
	}

	@Override
	public void complete() {
		if (this.output.hasError()) {
			fail(RedisFailure.refusal(this.output.getError(), null));
		}
		else {
			complete(this.output.get());
		}
	}

	@Override
	public boolean completeExceptionally(Throwable thrown) {
		return fail(failure(thrown));
	}

	/** Fail a request that Lettuce drops with its connection. */
	@Override
	public void cancel() {
		fail(RedisFailure.noResponse("connection is closed", null));
	}

	/** Translate an exception of Lettuce, or one that wraps it. */
	static RedisFailure failure(Throwable thrown) {
		Throwable root = thrown;
		for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
			if (cause instanceof RedisCommandExecutionException && cause.getMessage() != null) {
				return RedisFailure.refusal(cause.getMessage(), thrown);
			}
			root = cause;
		}
		String message = (thrown.getMessage() != null) ? thrown.getMessage() : "connection is closed";
		// Only the cause shows whether the server listens
		boolean hasReason = thrown instanceof RedisConnectionException && root != thrown && root.getMessage() != null;
		return RedisFailure.noResponse(hasReason ? message + ": " + root.getMessage() : message, thrown);
	}

	/**
	 * Output for any response: a list, or a single value.
	 */
	private static final class AnyOutput extends CommandOutput<String, String, Object> {

		private @Nullable NestedMultiOutput<String, String> list;

		@SuppressWarnings("NullAway") // A response may be null
		AnyOutput() {
			super(StringCodec.UTF8, null);
		}

		@Override
		public void multi(int count) {
			if (this.list == null) {
				this.list = new NestedMultiOutput<>(this.codec);
			}
			this.list.multi(count);
		}

		@Override
		public void complete(int depth) {
			if (this.list != null) {
				this.list.complete(depth);
			}
		}

		@Override
		@SuppressWarnings("NullAway") // A response may be null
		public void set(@Nullable ByteBuffer bytes) {
			if (this.list != null) {
				this.list.set(bytes);
			}
			else {
				this.output = (bytes != null) ? this.codec.decodeValue(bytes) : null;
			}
		}

		@Override
		public void set(long number) {
			if (this.list != null) {
				this.list.set(number);
			}
			else {
				this.output = number;
			}
		}

		@Override
		public void set(double number) {
			if (this.list != null) {
				this.list.set(number);
			}
			else {
				this.output = number;
			}
		}

		@Override
		public Object get() {
			return (this.list != null) ? this.list.get() : this.output;
		}

	}

}
