package io.leasehold.engine.redis;

import java.util.Set;

import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;

/**
 * From the client's exceptions to ours.
 */
final class Failures {

	/** Refusals that pass by themselves, such as a server that is still loading. */
	private static final Set<String> PASSING = Set.of("BUSY", "CLUSTERDOWN", "LOADING", "MASTERDOWN", "MISCONF",
			"NOREPLICAS", "OOM", "READONLY", "TRYAGAIN");

	private Failures() {
	}

	/**
	 * Translate a failure.
	 * @param action what Redis could not do, such as {@code acquire}
	 */
	static LockEngineException of(String action, LockKey key, RedisException failure) {
		return new LockEngineException(key,
				"Redis could not %s lock '%s': %s".formatted(action, key, failure.getMessage()), failure,
				isPassing(failure));
	}

	private static boolean isPassing(RedisException failure) {
		for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
			if (cause instanceof RedisCommandExecutionException && cause.getMessage() != null) {
				return PASSING.contains(cause.getMessage().split(" ", 2)[0]);
			}
		}
		return true;
	}

}
