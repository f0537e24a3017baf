package io.leasehold.engine.redis.connection;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;

import io.lettuce.core.api.StatefulRedisConnection;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.junit.jupiter.api.Test;
import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link LettuceConnection} with a connection of Lettuce that breaks inside
 * {@code dispatch}. Lettuce then keeps the request for a new connection, which there
 * never is.
 */
class LettuceConnectionTests {

	private final AtomicBoolean open = new AtomicBoolean(true);

	private final List<@Nullable RedisFailure> ended = new ArrayList<>();

	private @Nullable LettuceRequest kept;

	@Test
	void requestThatLettuceKeepsAfterTheConnectionBrokeIsReportedAsNeverSent() {
		CompletableFuture<?> reply = send(false);
		assertThat(reply).isCompletedExceptionally();
		assertThat(this.ended).singleElement().satisfies((failure) -> assertThat(failure.isNeverSent()).isTrue());
		assertThat(reply.handle((response, failure) -> failure))
			.isCompletedWithValueMatching((failure) -> Replies.failure(failure).isNeverSent());
		assertThatIllegalStateException().isThrownBy(() -> this.kept.encode(Unpooled.buffer()));
	}

	@Test
	void requestThatIsWrittenBeforeTheConnectionBreaksWaitsForItsEnd() {
		CompletableFuture<?> reply = send(true);
		assertThat(reply).isNotDone();
		this.kept.completeExceptionally(new CompletionException(new IllegalStateException("broken")));
		assertThat(this.ended).singleElement().satisfies((failure) -> assertThat(failure.isNeverSent()).isFalse());
	}

	private CompletableFuture<?> send(boolean written) {
		LettuceConnection connection = new LettuceConnection(breaking(written));
		return connection.send(this.ended::add, "PING");
	}

	@SuppressWarnings("unchecked")
	private StatefulRedisConnection<String, String> breaking(boolean written) {
		return (StatefulRedisConnection<String, String>) Proxy.newProxyInstance(getClass().getClassLoader(),
				new Class<?>[] { StatefulRedisConnection.class }, (proxy, method, arguments) -> {
					if (method.getName().equals("isOpen")) {
						return this.open.get();
					}
					this.kept = (LettuceRequest) arguments[0];
					if (written) {
						ByteBuf sent = Unpooled.buffer();
						this.kept.encode(sent);
						assertThat(sent.readableBytes()).isPositive();
					}
					this.open.set(false);
					return this.kept;
				});
	}

}
