package io.leasehold.engine.etcd;

import java.util.EnumSet;
import java.util.Set;

import io.grpc.Status;
import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import io.leasehold.engine.support.Actions;
import org.jspecify.annotations.Nullable;

/**
 * Factory of exceptions for failures of the store.
 */
final class Failures {

	private static final Set<Status.Code> PERMANENT = EnumSet.of(Status.Code.INVALID_ARGUMENT,
			Status.Code.PERMISSION_DENIED, Status.Code.FAILED_PRECONDITION, Status.Code.UNIMPLEMENTED,
			Status.Code.UNAUTHENTICATED);

	private Failures() {
	}

	static LockEngineException of(String action, @Nullable LockKey key, Exception cause) {
		boolean permanent = cause instanceof EtcdException failure && PERMANENT.contains(failure.code());
		return new LockEngineException(key, "etcd could not %s: %s".formatted(Actions.of(action, key), reason(cause)),
				cause, !permanent);
	}

	private static String reason(Exception cause) {
		String message = String.valueOf(cause.getMessage());
		if (!(cause instanceof EtcdException failure)) {
			return message;
		}
		if (failure.isOfTheLogin()) {
			return message + ". Check leasehold.etcd.username and leasehold.etcd.password";
		}
		return switch (failure.code()) {
			case PERMISSION_DENIED ->
				message + ". Grant the user the permission to read and write all keys that begin with the namespace";
			case UNIMPLEMENTED -> message + ". Use etcd 3.4 or later";
			default -> message;
		};
	}

}
