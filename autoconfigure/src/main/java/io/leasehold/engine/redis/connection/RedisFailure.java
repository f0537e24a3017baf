package io.leasehold.engine.redis.connection;

import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import org.jspecify.annotations.Nullable;

/**
 * Request that a server rejected or did not respond to, with any client library.
 */
public final class RedisFailure extends RuntimeException {

	private static final long serialVersionUID = 1L;

	/** Transient error codes, such as that of a server that is still loading. */
	private static final Set<String> PASSING = Set.of("ASK", "BUSY", "CLUSTERDOWN", "LOADING", "MASTERDOWN",
			"MAXCLIENTS", "MISCONF", "MOVED", "NOREPLICAS", "NOSCRIPT", "OOM", "READONLY", "RESTARTED", "TRYAGAIN");

	/** Permanent error codes, which require an operator. */
	private static final Set<String> LASTING = Set.of("ERR", "NOAUTH", "NOPERM", "WRONGPASS", "WRONGTYPE");

	/** Codes of rejections before the first write of a request or a script. */
	private static final Set<String> HAVE_NOT_RUN = Set.of("ASK", "CLUSTERDOWN", "LOADING", "MASTERDOWN", "MISCONF",
			"MOVED", "NOAUTH", "OOM", "READONLY", "TRYAGAIN", "WRONGPASS");

	/** Error of a command in a script, as reported by Redis before 7.0. */
	private static final Pattern OF_SCRIPT = Pattern.compile("ERR Error running script .*: -([A-Z]+) .*",
			Pattern.DOTALL);

	/** Rejection of a further connection, which has no separate code. */
	private static final String TOO_MANY_CLIENTS = "ERR max number of clients";

	private static final String UNSUITABLE = "UNSUITABLE";

	private final Kind kind;

	/** The error code, empty if there is none. */
	private final String reason;

	private RedisFailure(Kind kind, String message, @Nullable Throwable cause) {
		this(kind, message, cause, (kind == Kind.REFUSAL) ? reasonOf(message) : "");
	}

	private RedisFailure(Kind kind, String message, @Nullable Throwable cause, String reason) {
		super(message, cause);
		this.kind = kind;
		this.reason = reason;
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

	/** Create a failure: the server must not be used for locks. */
	public static RedisFailure unsuitable(String reason) {
		return refusal(UNSUITABLE + " " + reason, null);
	}

	/**
	 * Create a failure from those of several servers. It is a rejection if enough of them
	 * are, and lasts if enough of them last.
	 * @param decisive number of failures that are enough
	 */
	public static RedisFailure ofSeveral(String message, Collection<RedisFailure> failures, int decisive) {
		List<RedisFailure> rejections = failures.stream().filter(RedisFailure::isRefusal).toList();
		boolean lasts = rejections.stream().filter(RedisFailure::isLasting).count() >= decisive;
		RedisFailure cause = rejections.stream()
			.filter((rejection) -> rejections.size() >= decisive && rejection.isLasting() == lasts)
			.findFirst()
			.orElse(null);
		RedisFailure result = (cause != null) ? new RedisFailure(Kind.REFUSAL, message, cause, cause.reason)
				: noResponse(message, null);
		failures.stream().filter((failure) -> failure != cause).forEach(result::addSuppressed);
		return result;
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

	/**
	 * Return whether the request has changed nothing on the addressed server and never
	 * will: it was not sent, belongs to another server, or was rejected before its first
	 * write.
	 */
	public boolean hasNotRun() {
		return isNeverSent() || HAVE_NOT_RUN.contains(this.reason) || (is("NOPERM") && !isOfScript());
	}

	/** Return whether a command in a script failed, not the script itself. */
	private boolean isOfScript() {
		String message = String.valueOf(getMessage());
		return OF_SCRIPT.matcher(message).matches() || message.contains("script: ");
	}

	/**
	 * Return the failure of a command that follows others, which were sent.
	 * @param needed what the command is needed for, if the server rejects it for good
	 */
	RedisFailure ofSeveralCommands(String needed) {
		if (isNeverSent()) {
			return noResponse(String.valueOf(getMessage()), this);
		}
		return isLasting() ? refusal("%s (%s)".formatted(getMessage(), needed), this) : this;
	}

	/**
	 * Return whether a service checked the text of a script and rejected it before it
	 * ran, such as the proxy of Tair.
	 */
	public boolean isRejectedScript() {
		return isRefusal() && String.valueOf(getMessage()).startsWith("ERR bad lua script");
	}

	/** Return whether a server responded with an error code such as {@code READONLY}. */
	public boolean is(String reason) {
		return reason.equals(this.reason);
	}

	/** Return whether the server must not be used for locks. */
	public boolean isUnsuitable() {
		return is(UNSUITABLE);
	}

	/** Return whether the server rejected the request, and will reject it again. */
	public boolean isLasting() {
		return isRefusal() && !PASSING.contains(this.reason);
	}

	/** Return whether the request did not run because it belongs to another server. */
	boolean isRedirection() {
		return is("MOVED") || is("ASK");
	}

	/**
	 * Return the exception for the service.
	 * @param store what failed, such as {@code Redis}
	 * @param action the failed action, such as {@code acquire}
	 */
	public LockEngineException toEngineException(String store, String action, LockKey key) {
		return failed(store, "%s lock '%s'".formatted(action, key), key);
	}

	/**
	 * Return the exception for the service that may concern several locks.
	 * @param store what failed, such as {@code Redis}
	 * @param action the failed action, such as {@code renew 2 locks}
	 */
	public LockEngineException toEngineException(String store, String action) {
		return failed(store, action, null);
	}

	private LockEngineException failed(String store, String action, @Nullable LockKey key) {
		return new LockEngineException(key, "%s could not %s: %s".formatted(store, action, getMessage()), this,
				!isLasting(), isRefusal() ? word() : null);
	}

	private boolean isRefusal() {
		return this.kind == Kind.REFUSAL;
	}

	/** Return the server's error code, or {@code OTHER} if it is unknown. */
	private String word() {
		return (PASSING.contains(this.reason) || LASTING.contains(this.reason)) ? this.reason : "OTHER";
	}

	private static String reasonOf(String message) {
		if (message.startsWith(TOO_MANY_CLIENTS)) {
			return "MAXCLIENTS";
		}
		Matcher ofScript = OF_SCRIPT.matcher(message);
		return ofScript.matches() ? ofScript.group(1) : message.split(" ", 2)[0];
	}

	/** Known state of the request. */
	private enum Kind {

		NEVER_SENT, NO_ANSWER, REFUSAL

	}

}
