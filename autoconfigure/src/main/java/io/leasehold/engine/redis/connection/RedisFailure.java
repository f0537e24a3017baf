package io.leasehold.engine.redis.connection;

import java.util.Set;

import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import org.jspecify.annotations.Nullable;

/**
 * Request that a server rejected or did not respond to, with any client library.
 */
public final class RedisFailure extends RuntimeException {

	private static final long serialVersionUID = 1L;

	/** Transient error codes, such as that of a server that is still loading. */
	private static final Set<String> PASSING = Set.of("ASK", "BUSY", "CLUSTERDOWN", "LOADING", "MASTERDOWN", "MISCONF",
			"MOVED", "NOREPLICAS", "NOSCRIPT", "OOM", "READONLY", "TRYAGAIN");

	/** Permanent error codes, which require an operator. */
	private static final Set<String> LASTING = Set.of("ERR", "NOAUTH", "NOPERM", "WRONGPASS", "WRONGTYPE");

	private final Kind kind;

	private RedisFailure(Kind kind, String message, @Nullable Throwable cause) {
		super(message, cause);
		this.kind = kind;
	}

	/** Create a failure: no connection, or no response in time. */
	public static RedisFailure noResponse(String message, @Nullable Throwable cause) {
		return new RedisFailure(Kind.NO_ANSWER, message, cause);
	}

	/**
	 * Create a failure from an error response.
	 * @param message the server's message, which begins with its error code
	 */
	public static RedisFailure refusal(String message, @Nullable Throwable cause) {
		return new RedisFailure(Kind.REFUSAL, message, cause);
	}

	/**
	 * Create a failure of a request that was not written and never will be.
	 * @param reason why the connection did not accept it
	 */
	public static RedisFailure neverSent(RedisFailure reason) {
		return new RedisFailure(Kind.NEVER_SENT, String.valueOf(reason.getMessage()), reason);
	}

	/** Return whether the request was not written and never will be. */
	public boolean isNeverSent() {
		return this.kind == Kind.NEVER_SENT;
	}

	/** Return whether the addressed server has not run the request and never will. */
	public boolean hasNotRun() {
		return isNeverSent() || isRedirection();
	}

	/**
	 * Return this failure for a request of several commands, some of which were sent.
	 */
	RedisFailure ofSeveralCommands() {
		return isNeverSent() ? noResponse(String.valueOf(getMessage()), this) : this;
	}

	/** Return whether a server responded with an error code such as {@code READONLY}. */
	public boolean is(String reason) {
		return reason.equals(reason());
	}

	/** Return whether the request did not run because it belongs to another server. */
	boolean isRedirection() {
		return is("MOVED") || is("ASK");
	}

	/**
	 * Return the exception for the service.
	 * @param action the failed action, such as {@code acquire}
	 */
	public LockEngineException toEngineException(String action, LockKey key) {
		return toEngineException(key, "%s lock '%s'".formatted(action, key));
	}

	/**
	 * Return the exception for the service that concerns several locks.
	 * @param action the failed action, such as {@code renew 2 locks}
	 */
	public LockEngineException toEngineException(String action) {
		return toEngineException(null, action);
	}

	private LockEngineException toEngineException(@Nullable LockKey key, String action) {
		boolean passes = !isRefusal() || PASSING.contains(reason());
		return new LockEngineException(key, "Redis could not %s: %s".formatted(action, getMessage()), this, passes,
				isRefusal() ? word() : null);
	}

	private boolean isRefusal() {
		return this.kind == Kind.REFUSAL;
	}

	/** Return the server's error code, or {@code OTHER} if it is unknown. */
	private String word() {
		return (PASSING.contains(reason()) || LASTING.contains(reason())) ? reason() : "OTHER";
	}

	private String reason() {
		return isRefusal() ? String.valueOf(getMessage()).split(" ", 2)[0] : "";
	}

	/** Known state of the request. */
	private enum Kind {

		NEVER_SENT, NO_ANSWER, REFUSAL

	}

}
