package io.leasehold.engine.etcd;

import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * Failure of a request to etcd, with the code of gRPC that the gateway passes on.
 */
final class EtcdException extends Exception {

	private static final long serialVersionUID = 1L;

	/** No member responded, or it responded with something that is not etcd's. */
	static final int NO_RESPONSE = -1;

	static final int INVALID_ARGUMENT = 3;

	static final int NOT_FOUND = 5;

	static final int PERMISSION_DENIED = 7;

	static final int RESOURCE_EXHAUSTED = 8;

	static final int FAILED_PRECONDITION = 9;

	static final int OUT_OF_RANGE = 11;

	static final int UNIMPLEMENTED = 12;

	static final int UNAUTHENTICATED = 16;

	private static final Set<Integer> REJECTIONS = Set.of(INVALID_ARGUMENT, NOT_FOUND, PERMISSION_DENIED,
			RESOURCE_EXHAUSTED, FAILED_PRECONDITION, OUT_OF_RANGE, UNIMPLEMENTED, UNAUTHENTICATED);

	private final int code;

	EtcdException(int code, String message, @Nullable Throwable cause) {
		super(message, cause);
		this.code = code;
	}

	/**
	 * Create the exception for an error message.
	 * @param error the object that contains the code; unary and streaming requests name
	 * it differently
	 */
	static EtcdException of(JsonObject error) {
		int code = (int) error.number(error.has("grpc_code") ? "grpc_code" : "code");
		return new EtcdException(code, error.text("message"), null);
	}

	int code() {
		return this.code;
	}

	boolean is(int other) {
		return this.code == other;
	}

	/**
	 * Return whether etcd rejected the request, so that it was not executed. Otherwise
	 * the request may have been executed, or may still be.
	 */
	boolean isRejection() {
		return REJECTIONS.contains(this.code);
	}

}
