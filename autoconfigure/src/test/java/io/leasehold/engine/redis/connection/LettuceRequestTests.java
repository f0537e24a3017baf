package io.leasehold.engine.redis.connection;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;

import io.lettuce.core.output.CommandOutput;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for how a {@link LettuceRequest} is written, and what its response is.
 */
class LettuceRequestTests {

	private final LettuceRequest request = new LettuceRequest((failure) -> {
	}, "SET", "a", "ä€");

	private final CommandOutput<String, String, Object> output = this.request.getOutput();

	@Test
	void requestIsWrittenOnce() {
		ByteBuf written = Unpooled.buffer();
		this.request.encode(written);
		assertThat(written.toString(StandardCharsets.UTF_8)).isEqualTo("*3\r\n$3\r\nSET\r\n$1\r\na\r\n$5\r\nä€\r\n");
		assertThatIllegalStateException().isThrownBy(() -> this.request.encode(written));
	}

	@Test
	void lengthsAreWrittenInDecimalDigits() {
		ByteBuf written = Unpooled.buffer();
		new LettuceRequest((failure) -> {
		}, "GET", "", "1234567890", "x".repeat(109)).encode(written);
		assertThat(written.toString(StandardCharsets.UTF_8))
			.isEqualTo("*4\r\n$3\r\nGET\r\n$0\r\n\r\n$10\r\n1234567890\r\n$109\r\n" + "x".repeat(109) + "\r\n");
	}

	@Test
	void responseIsASingleValue() {
		this.output.set(42);
		assertThat(response()).isEqualTo(42L);
	}

	@Test
	void responseIsAText() {
		this.output.set(text("ä€"));
		assertThat(response()).isEqualTo("ä€");
	}

	@Test
	void responseIsAFraction() {
		this.output.set(0.5);
		assertThat(response()).isEqualTo(0.5);
	}

	@Test
	void responseIsNothing() {
		this.output.set((ByteBuffer) null);
		assertThat(response()).isNull();
	}

	@Test
	void responseIsAListWithLists() {
		this.output.multi(3);
		this.output.set(text("a"));
		this.output.multi(2);
		this.output.set(1);
		this.output.set(0.5);
		this.output.complete(2);
		this.output.complete(1);
		this.output.set((ByteBuffer) null);
		this.output.complete(1);
		this.output.complete(0);
		assertThat(response()).asInstanceOf(InstanceOfAssertFactories.LIST)
			.containsExactly("a", List.of(1L, 0.5), null);
	}

	@Test
	void errorOfTheServerIsARefusal() {
		this.request.encode(Unpooled.buffer());
		this.output.setError("READONLY You can't write against a read only replica.");
		this.request.complete();
		assertThat(failure().is("READONLY")).isTrue();
	}

	@Test
	void requestThatLettuceDropsUnwrittenWasNeverSent() {
		this.request.cancel();
		assertThat(failure().isNeverSent()).isTrue();
		assertThat(this.request.isDone()).isTrue();
	}

	@Test
	void requestThatLettuceDropsAfterWritingMayHaveBeenSent() {
		this.request.encode(Unpooled.buffer());
		this.request.cancel();
		assertThat(failure().isNeverSent()).isFalse();
	}

	private static ByteBuffer text(String text) {
		return StandardCharsets.UTF_8.encode(text);
	}

	private Object response() {
		this.request.complete();
		return Replies.await(this.request, System.nanoTime());
	}

	private RedisFailure failure() {
		RedisFailure[] failure = new RedisFailure[1];
		assertThatExceptionOfType(RedisFailure.class).isThrownBy(this::response)
			.satisfies((thrown) -> failure[0] = thrown);
		return failure[0];
	}

}
