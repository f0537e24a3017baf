package io.leasehold.engine.redis.connection;

import java.util.Collection;

import io.lettuce.core.RedisClient;

import org.springframework.test.util.ReflectionTestUtils;

/**
 * What Lettuce keeps of the connections of a {@link LettuceConnector} until they are
 * closed, also if they are broken.
 */
public final class LettuceResources {

	private LettuceResources() {
	}

	/** Return the number of objects, several of which belong to each connection. */
	public static int kept(LettuceConnector connector) {
		RedisClient client = (RedisClient) ReflectionTestUtils.getField(connector, "client");
		return ((Collection<?>) ReflectionTestUtils.getField(client, "closeableResources")).size();
	}

}
