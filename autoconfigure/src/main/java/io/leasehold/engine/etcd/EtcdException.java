package io.leasehold.engine.etcd;

import java.net.URI;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;

import io.grpc.Status;
import io.leasehold.engine.support.Deadlines;
import org.jspecify.annotations.Nullable;

import org.springframework.core.NestedExceptionUtils;

/**
 * Failure of a request to etcd, with its code of gRPC.
 */
final class EtcdException extends Exception {

	private static final long serialVersionUID = 1L;

	private static final Set<Status.Code> REJECTIONS = EnumSet.of(Status.Code.INVALID_ARGUMENT, Status.Code.NOT_FOUND,
			Status.Code.PERMISSION_DENIED, Status.Code.RESOURCE_EXHAUSTED, Status.Code.FAILED_PRECONDITION,
			Status.Code.OUT_OF_RANGE, Status.Code.UNIMPLEMENTED, Status.Code.UNAUTHENTICATED);

	private static final Pattern OF_LOGIN = Pattern.compile("etcdserver: .*(user|auth)");

	private final Status.Code code;

	/** Whether the deadline of this process has passed, not one of the server. */
	private final boolean late;

	EtcdException(Status.Code code, String message, @Nullable Throwable cause) {
		this(code, message, cause, false);
	}

	private EtcdException(Status.Code code, String message, @Nullable Throwable cause, boolean late) {
		super(message, cause);
		this.code = code;
		this.late = late;
	}

	/** Create the exception for a request that ended without a response. */
	static EtcdException of(URI member, Status status) {
		Throwable cause = status.getCause();
		String message = (cause != null) ? "%s did not respond: %s".formatted(member, reason(cause))
				: "%s responded: %s".formatted(member, status.getDescription());
		return new EtcdException(status.getCode(), message, cause);
	}

	/** Create the exception for a failure in another thread. */
	static EtcdException of(@Nullable Throwable cause) {
		return (cause instanceof EtcdException known)
				? new EtcdException(known.code, String.valueOf(known.getMessage()), known)
				: new EtcdException(Status.Code.UNAVAILABLE, String.valueOf(cause), cause);
	}

	/** Create the exception for a request without a response by its deadline. */
	static EtcdException late(String message) {
		return new EtcdException(Status.Code.DEADLINE_EXCEEDED, message, null, true);
	}

	/**
	 * Wait for the result of another thread. An interrupt does not end the wait.
	 * @param late message if there is none by the deadline
	 */
	static <T> T await(Future<T> result, long deadline, String late) throws EtcdException {
		try {
			return Deadlines.await(result, deadline);
		}
		catch (ExecutionException ex) {
			throw of(ex.getCause());
		}
		catch (TimeoutException ex) {
			throw late(late);
		}
	}

	private static String reason(Throwable failure) {
		return NestedExceptionUtils.getMostSpecificCause(failure).toString();
	}

	Status.Code code() {
		return this.code;
	}

	boolean isLate() {
		return this.late;
	}

	/** Return this failure with an earlier one, which may be why it came too late. */
	EtcdException after(EtcdException earlier) {
		return new EtcdException(this.code, "%s, after %s".formatted(getMessage(), earlier.getMessage()), earlier,
				this.late);
	}

	boolean is(Status.Code other) {
		return this.code == other;
	}

	/**
	 * Return whether etcd rejected the user, the password or the token. A missing user is
	 * an invalid argument, as is a token of older permissions, but also a transaction
	 * that is too large.
	 */
	boolean isOfTheLogin() {
		return is(Status.Code.UNAUTHENTICATED)
				|| (is(Status.Code.INVALID_ARGUMENT) || is(Status.Code.FAILED_PRECONDITION))
						&& OF_LOGIN.matcher(String.valueOf(getMessage())).find();
	}

	/**
	 * Return whether etcd rejected the request, so that it was not executed. Otherwise
	 * the request may have been executed, or may still be.
	 */
	boolean isRejection() {
		return REJECTIONS.contains(this.code);
	}

}
