package io.leasehold.engine.memcached;

import java.nio.charset.Charset;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import com.spotify.folsom.MemcacheClientBuilder;
import com.spotify.folsom.MemcacheClosedException;
import com.spotify.folsom.RawMemcacheClient;
import com.spotify.folsom.authenticate.Authenticator;
import com.spotify.folsom.transcoder.StringTranscoder;

/**
 * Builder of clients that reconnect in any case. Folsom validates each new connection by
 * a request. If the connection breaks before this begins, Folsom waits for it forever,
 * and does not connect to this server again.
 */
final class ReliableClientBuilder extends MemcacheClientBuilder<String> {

	private final Runnable connecting;

	/**
	 * Create a builder.
	 * @param connecting called before each new connection is used
	 */
	ReliableClientBuilder(Charset charset, Runnable connecting) {
		super(new StringTranscoder(charset));
		this.connecting = connecting;
	}

	@Override
	protected RawMemcacheClient connectRaw(boolean binary, Authenticator authenticator) {
		return super.connectRaw(binary, new Validation(authenticator, this.connecting));
	}

	/**
	 * Validation of a connection that fails if the connection breaks.
	 */
	record Validation(Authenticator request, Runnable begins) implements Authenticator {

		@Override
		public CompletionStage<RawMemcacheClient> authenticate(RawMemcacheClient connection) {
			this.begins.run();
			CompletableFuture<RawMemcacheClient> result = new CompletableFuture<>();
			connection.disconnectFuture()
				.thenRun(() -> result
					.completeExceptionally(new MemcacheClosedException("Disconnected before the validation")));
			this.request.authenticate(connection).whenComplete((valid, failure) -> {
				if (failure != null) {
					result.completeExceptionally(failure);
				}
				else {
					result.complete(valid);
				}
			});
			return result;
		}

		@Override
		public void validate(boolean binary) {
			this.request.validate(binary);
		}

	}

}
