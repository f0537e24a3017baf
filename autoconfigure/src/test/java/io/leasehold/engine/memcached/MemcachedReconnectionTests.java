package io.leasehold.engine.memcached;

import java.util.stream.IntStream;

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

}
