package io.leasehold.engine.redis;

import java.util.Set;

import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import org.jspecify.annotations.Nullable;

/**
 * A request that a server refused or did not answer, whatever the client library.
 */
final class RedisFailure extends RuntimeException {

	private static final long serialVersionUID = 1L;

	/** Refusals that pass by themselves, such as a server that is still loading. */
	private static final Set<String> PASSING = Set.of("ASK", "BUSY", "CLUSTERDOWN", "LOADING", "MASTERDOWN", "MISCONF",
			"MOVED", "NOREPLICAS", "NOSCRIPT", "OOM", "READONLY", "TRYAGAIN");

	/** Refusals that need somebody's hand. */
	private static final Set<String> LASTING = Set.of("ERR", "NOAUTH", "NOPERM", "WRONGPASS", "WRONGTYPE");

	private final boolean refusal;

	private RedisFailure(boolean refusal, String message, @Nullable Throwable cause) {
		super(message, cause);
		this.refusal = refusal;
	}

	/** No connection, or no answer in time. */
	static RedisFailure noAnswer(String message, @Nullable Throwable cause) {
		return new RedisFailure(false, message, cause);
	}

	/**
	 * An answer that is an error.
	 * @param message what the server said, beginning with its word for the error
	 */
	static RedisFailure refusal(String message, @Nullable Throwable cause) {
		return new RedisFailure(true, message, cause);
	}

	/** Return whether a server refused, for the given reason such as {@code READONLY}. */
	boolean is(String reason) {
		return reason.equals(reason());
	}

	/** Return whether the request did not run, and belongs to another server. */
	boolean isRedirection() {
		return is("MOVED") || is("ASK");
	}

	/**
	 * Return what the service is told.
	 * @param action what Redis could not do, such as {@code acquire}
	 */
	LockEngineException toEngineException(String action, LockKey key) {
		return toEngineException(key, "%s lock '%s'".formatted(action, key));
	}

	/**
	 * Return what the service is told of several locks.
	 * @param action what Redis could not do, such as {@code renew 2 locks}
	 */
	LockEngineException toEngineException(String action) {
		return toEngineException(null, action);
	}

	private LockEngineException toEngineException(@Nullable LockKey key, String action) {
		boolean passes = !this.refusal || PASSING.contains(reason());
		return new LockEngineException(key, "Redis could not %s: %s".formatted(action, getMessage()), this, passes,
				this.refusal ? word() : null);
	}

	/** The server's word, as long as it is one of those that are known. */
	private String word() {
		return (PASSING.contains(reason()) || LASTING.contains(reason())) ? reason() : "OTHER";
	}

	private String reason() {
		return this.refusal ? String.valueOf(getMessage()).split(" ", 2)[0] : "";
	}

}
