package io.leasehold.engine.etcd;

import java.util.Set;

import io.leasehold.LockEngineException;
import io.leasehold.LockKey;

/**
 * Factory of exceptions for failures of the store.
 */
final class Failures {

	private static final Set<Integer> PERMANENT = Set.of(EtcdException.INVALID_ARGUMENT,
			EtcdException.PERMISSION_DENIED, EtcdException.FAILED_PRECONDITION, EtcdException.UNIMPLEMENTED,
			EtcdException.UNAUTHENTICATED);

	private Failures() {
	}

	static LockEngineException of(String action, LockKey key, Exception cause) {
		boolean permanent = cause instanceof EtcdException failure && PERMANENT.contains(failure.code());
		return new LockEngineException(key, "etcd could not %s lock '%s': %s".formatted(action, key, reason(cause)),
				cause, !permanent);
	}

	private static String reason(Exception cause) {
		String message = String.valueOf(cause.getMessage());
		if (!(cause instanceof EtcdException failure)) {
			return message;
		}
		return switch (failure.code()) {
			case EtcdException.PERMISSION_DENIED ->
				message + ". Grant the user the permission to read and write all keys that begin with the namespace";
			case EtcdException.UNIMPLEMENTED ->
				message + ". Use etcd 3.4 or later, with its gateway enabled (--enable-grpc-gateway)";
			case EtcdException.INVALID_ARGUMENT, EtcdException.UNAUTHENTICATED, EtcdException.FAILED_PRECONDITION ->
				message + ". Check leasehold.etcd.username and leasehold.etcd.password";
			default -> message;
		};
	}

}
