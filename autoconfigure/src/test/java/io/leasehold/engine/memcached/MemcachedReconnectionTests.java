package io.leasehold.engine.memcached;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import com.spotify.folsom.MemcacheClosedException;
import com.spotify.folsom.RawMemcacheClient;
import com.spotify.folsom.authenticate.AsciiAuthenticationValidator;
import com.spotify.folsom.client.DefaultRawMemcacheClient;
import com.spotify.folsom.client.NoopMetrics;
import com.spotify.folsom.guava.HostAndPort;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the reconnection of {@link MemcachedStore}.
 */
class MemcachedReconnectionTests {

	@Test
	void serverThatReturnsAfterALongOutageIsReachedSoon() {
		assertThat(IntStream.range(0, 1000).mapToLong(MemcachedStore.RECONNECTION::getBackoffTimeMillis))
			.allMatch((pause) -> pause <= 2000)
			.contains(10L, 2000L);
	}

	/** Otherwise the client would never connect again. */
	@Test
	void validationOfABrokenConnectionFails() throws Exception {
		try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			RawMemcacheClient connection = connect(server);
			connection.shutdown();
			assertThat(validate(connection)).failsWithin(1, TimeUnit.MINUTES)
				.withThrowableThat()
				.withCauseInstanceOf(MemcacheClosedException.class);
		}
	}

	@Test
	void validationOfAConnectionThatBreaksMeanwhileFails() throws Exception {
		try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			RawMemcacheClient connection = connect(server);
			CompletableFuture<RawMemcacheClient> validation = validate(connection);
			assertThat(validation).isNotDone();
			server.accept().close();
			assertThat(validation).failsWithin(1, TimeUnit.MINUTES)
				.withThrowableThat()
				.withCauseInstanceOf(MemcacheClosedException.class);
		}
	}

	private static CompletableFuture<RawMemcacheClient> validate(RawMemcacheClient connection) {
		return new ReliableClientBuilder.Validation(AsciiAuthenticationValidator.getInstance(), () -> {
		}).authenticate(connection).toCompletableFuture();
	}

	private static RawMemcacheClient connect(ServerSocket server) throws Exception {
		HostAndPort address = HostAndPort.fromParts("127.0.0.1", server.getLocalPort());
		long timeout = Duration.ofMinutes(5).toMillis();
		return DefaultRawMemcacheClient
			.connect(address, 10, 1, false, Runnable::run, timeout, StandardCharsets.US_ASCII, NoopMetrics.INSTANCE,
					1024, null, null, null)
			.toCompletableFuture()
			.get(1, TimeUnit.MINUTES);
	}

}
