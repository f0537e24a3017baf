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

	private final Kind kind;

	private RedisFailure(Kind kind, String message, @Nullable Throwable cause) {
		super(message, cause);
		this.kind = kind;
	}

	/** No connection, or no answer in time. */
	static RedisFailure noAnswer(String message, @Nullable Throwable cause) {
		return new RedisFailure(Kind.NO_ANSWER, message, cause);
	}

	/**
	 * An answer that is an error.
	 * @param message what the server said, beginning with its word for the error
	 */
	static RedisFailure refusal(String message, @Nullable Throwable cause) {
		return new RedisFailure(Kind.REFUSAL, message, cause);
	}

	/**
	 * A request that was not written and never will be.
	 * @param reason why its connection did not take it
	 */
	static RedisFailure neverSent(RedisFailure reason) {
		return new RedisFailure(Kind.NEVER_SENT, String.valueOf(reason.getMessage()), reason);
	}

	/** Return whether the request was not written and never will be. */
	boolean isNeverSent() {
		return this.kind == Kind.NEVER_SENT;
	}

	/** Return whether the request has not run and never will where it was sent to. */
	boolean hasNotRun() {
		return isNeverSent() || isRedirection();
	}

	/**
	 * Return this failure for a request of several commands, of which others were sent.
	 */
	RedisFailure ofSeveralCommands() {
		return isNeverSent() ? noAnswer(String.valueOf(getMessage()), this) : this;
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
		boolean passes = !isRefusal() || PASSING.contains(reason());
		return new LockEngineException(key, "Redis could not %s: %s".formatted(action, getMessage()), this, passes,
				isRefusal() ? word() : null);
	}

	private boolean isRefusal() {
		return this.kind == Kind.REFUSAL;
	}

	/** The server's word, as long as it is one of those that are known. */
	private String word() {
		return (PASSING.contains(reason()) || LASTING.contains(reason())) ? reason() : "OTHER";
	}

	private String reason() {
		return isRefusal() ? String.valueOf(getMessage()).split(" ", 2)[0] : "";
	}

	/** What is known of the request. */
	private enum Kind {

		NEVER_SENT, NO_ANSWER, REFUSAL

	}

}
