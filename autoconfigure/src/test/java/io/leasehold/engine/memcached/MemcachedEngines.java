package io.leasehold.engine.memcached;

import java.time.Duration;
import java.util.List;

import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.cas.CasLockEngine;
import io.leasehold.engine.cas.CasSettings;
import io.leasehold.test.contract.EngineAddress;
import org.awaitility.Awaitility;

/**
 * Engines on a memcached server.
 */
final class MemcachedEngines {

	/** Longer than any pause of a busy machine. */
	private static final Duration CALL_TIMEOUT = Duration.ofSeconds(30);

	private MemcachedEngines() {
	}

	static CasLockEngine open(String namespace, String server, MonotonicClock clock) {
		return open(namespace, server, CALL_TIMEOUT, clock);
	}

	static CasLockEngine open(String namespace, String server, Duration callTimeout, MonotonicClock clock) {
		return open(namespace, List.of(server), callTimeout, clock);
	}

	static CasLockEngine open(String namespace, List<String> servers, Duration callTimeout, MonotonicClock clock) {
		CasSettings settings = new CasSettings(namespace, callTimeout, Duration.ofMillis(5), Duration.ofMillis(100),
				Duration.ofMinutes(1));
		CasLockEngine engine = new CasLockEngine(MemcachedStore.NAME, MemcachedStore.connect(servers, callTimeout),
				settings, clock);
		// The first connection of a JVM on a loaded machine may take longer than a call
		Awaitility.await()
			.atMost(Duration.ofMinutes(1))
			.pollDelay(Duration.ZERO)
			.ignoreException(LockEngineException.class)
			.until(() -> engine.inspect(new LockKey("warm-up")).isEmpty());
		return engine;
	}

	/** Return the key of a short lock key's entry, as {@code engine.cas} builds it. */
	static String entry(String namespace, LockKey key) {
		return namespace + ":" + key.value();
	}

	static EngineAddress address(String server) {
		return new EngineAddress(Opener.class, List.of(server));
	}

	/**
	 * Connects to a server by its address.
	 */
	public static final class Opener implements EngineAddress.Opener {

		@Override
		public LockEngine open(String namespace, Member member, List<String> arguments) {
			return MemcachedEngines.open(namespace, arguments.get(0), MonotonicClock.SYSTEM);
		}

	}

}
