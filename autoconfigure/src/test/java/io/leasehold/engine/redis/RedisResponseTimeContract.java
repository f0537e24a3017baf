package io.leasehold.engine.redis;

import java.time.Duration;

import io.leasehold.engine.LockEngine;
import io.leasehold.engine.Member;
import io.leasehold.engine.redis.connection.Connector;
import io.leasehold.test.contract.ResponseTimeContract;
import io.leasehold.test.contract.MovingClock;

import org.springframework.data.redis.connection.RedisConfiguration;

/**
 * Late responses of {@link RedisLockEngine}, from any servers by any client library.
 */
abstract class RedisResponseTimeContract extends ResponseTimeContract {

	/** Return the servers to connect to. */
	abstract RedisConfiguration servers();

	/** Return the client library to connect by. */
	abstract Connector connector(Duration timeout);

	@Override
	protected final LockEngine connect(String namespace, Member member, MovingClock clock) {
		Duration timeout = RedisEngines.patientSettings(namespace).commandTimeout();
		Connector connector = new ProxiedConnector(connector(timeout), clock::responded);
		return RedisOpener.open(namespace, member, connector, servers(), clock);
	}

}
