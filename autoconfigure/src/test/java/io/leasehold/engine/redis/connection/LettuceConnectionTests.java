package io.leasehold.engine.redis.connection;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;

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

	/** Two callers may find it silent at once: no request goes to what one closes. */
	@Test
	void connectionIsNotOpenWhileACallerClosesIt() {
		AtomicReference<LettuceConnection> connection = new AtomicReference<>();
		AtomicReference<Boolean> openForOthers = new AtomicReference<>();
		connection.set(new LettuceConnection(lettuce((closeAsync) -> {
			connection.get().close();
			openForOthers.set(connection.get().isOpen());
			return CompletableFuture.completedFuture(null);
		})));
		assertThat(connection.get().isOpen()).isTrue();
		connection.get().close();
		assertThat(openForOthers).hasValue(false);
	}

	private CompletableFuture<?> send(boolean written) {
		LettuceConnection connection = new LettuceConnection(breaking(written));
		return connection.send(this.ended::add, "PING");
	}

	private StatefulRedisConnection<String, String> breaking(boolean written) {
		return lettuce((dispatch) -> {
			this.kept = (LettuceRequest) dispatch[0];
			if (written) {
				ByteBuf sent = Unpooled.buffer();
				this.kept.encode(sent);
				assertThat(sent.readableBytes()).isPositive();
			}
			this.open.set(false);
			return this.kept;
		});
	}

	/** Return a connection that does one thing, apart from being open. */
	@SuppressWarnings("unchecked")
	private StatefulRedisConnection<String, String> lettuce(Function<Object[], Object> deed) {
		return (StatefulRedisConnection<String, String>) Proxy.newProxyInstance(getClass().getClassLoader(),
				new Class<?>[] { StatefulRedisConnection.class }, (proxy, method,
						arguments) -> method.getName().equals("isOpen") ? this.open.get() : deed.apply(arguments));
	}

}
