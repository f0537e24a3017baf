package io.leasehold.engine.etcd;

import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.BodySubscribers;
import java.net.http.HttpResponse.ResponseInfo;
import java.nio.channels.UnresolvedAddressException;
import java.nio.charset.StandardCharsets;

import org.jspecify.annotations.Nullable;

/**
 * Body of a single response. The gateway's errors have trailers. They fail an assertion
 * of the JDK's client if the JVM runs with {@code -ea}, as tests do. The status then says
 * what the body would have said.
 */
final class ResponseBody implements BodyHandler<String> {

	private volatile int errorStatus;

	@Override
	public BodySubscriber<String> apply(ResponseInfo response) {
		if (response.headers().firstValue("Trailer").isPresent()) {
			this.errorStatus = response.statusCode();
		}
		return BodySubscribers.ofString(StandardCharsets.UTF_8);
	}

	/** Return the exception for a response without a readable body. */
	EtcdException failure(URI member, @Nullable Throwable cause) {
		int code = code();
		return new EtcdException(code,
				(code == EtcdException.NO_RESPONSE) ? "%s did not respond: %s".formatted(member, reason(cause))
						: "%s rejected the request with status %d".formatted(member, this.errorStatus),
				cause);
	}

	/** The client of the JDK gives no reason if it cannot connect. */
	static String reason(@Nullable Throwable failure) {
		if (failure instanceof ConnectException && failure.getMessage() == null) {
			return (failure.getCause() instanceof UnresolvedAddressException) ? "unknown host" : "connection failed";
		}
		return String.valueOf(failure);
	}

	private int code() {
		return switch (this.errorStatus) {
			case 400 -> EtcdException.INVALID_ARGUMENT;
			case 401 -> EtcdException.UNAUTHENTICATED;
			case 403 -> EtcdException.PERMISSION_DENIED;
			case 404 -> EtcdException.NOT_FOUND;
			case 412 -> EtcdException.FAILED_PRECONDITION;
			case 429 -> EtcdException.RESOURCE_EXHAUSTED;
			case 501 -> EtcdException.UNIMPLEMENTED;
			default -> EtcdException.NO_RESPONSE;
		};
	}

}
