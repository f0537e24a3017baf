package io.leasehold.endpoint;

import java.util.Map;
import java.util.function.Supplier;

import io.leasehold.LockBusyException;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;

/**
 * Web form of the {@link LocksEndpoint}. The response to a rejected request contains the
 * reason, which Spring Boot omits from its own error responses.
 */
@EndpointWebExtension(endpoint = LocksEndpoint.class)
public class LocksEndpointWebExtension {

	/** Status of a conflict with a holder. */
	private static final int HELD = 409;

	private final LocksEndpoint endpoint;

	public LocksEndpointWebExtension(LocksEndpoint endpoint) {
		this.endpoint = endpoint;
	}

	/**
	 * Return the holders of a key, or a page of the locks that all processes hold.
	 * @return the response of the endpoint, or status 400 with the reason
	 * @see LocksEndpoint#lock(String, String, String, String, Integer)
	 */
	@ReadOperation
	public WebEndpointResponse<Object> lock(@Selector String engine, @Nullable String key, @Nullable String prefix,
			@Nullable String after, @Nullable Integer limit) {
		return respond(() -> this.endpoint.lock(engine, key, prefix, after, limit));
	}

	/**
	 * Return a view of the locks of all processes.
	 * @return the response of the endpoint, or status 400 with the reason
	 * @see LocksEndpoint#view(String, String)
	 */
	@ReadOperation
	public WebEndpointResponse<Object> view(@Selector String engine, @Selector String view) {
		return respond(() -> this.endpoint.view(engine, view));
	}

	/**
	 * Release a key by force.
	 * @param securityContext the authenticated user
	 * @return the holders that lost it, or status 400 with the reason
	 * @see LocksEndpoint#forceRelease(String, String, SecurityContext)
	 */
	@DeleteOperation
	public WebEndpointResponse<Object> forceRelease(@Selector String engine, @Nullable String key,
			SecurityContext securityContext) {
		return (key != null) ? respond(() -> this.endpoint.forceRelease(engine, key, securityContext)) : withoutKey();
	}

	/**
	 * Pause a job, or open its key.
	 * @param securityContext the authenticated user
	 * @return the state of the key; or status 400 with the reason, or 409 if it is held
	 * @see LocksEndpoint#change(String, String, String, String, SecurityContext)
	 */
	@WriteOperation
	public WebEndpointResponse<Object> change(@Selector String engine, @Selector String action, @Nullable String key,
			@Nullable String duration, SecurityContext securityContext) {
		try {
			return (key != null) ? respond(() -> this.endpoint.change(engine, action, key, duration, securityContext))
					: withoutKey();
		}
		catch (LockBusyException ex) {
			return rejected(HELD, ex.getMessage());
		}
	}

	private static WebEndpointResponse<Object> respond(Supplier<Object> operation) {
		try {
			return new WebEndpointResponse<>(operation.get());
		}
		catch (InvalidEndpointRequestException ex) {
			return rejected(WebEndpointResponse.STATUS_BAD_REQUEST, ex.getReason());
		}
	}

	private static WebEndpointResponse<Object> withoutKey() {
		return rejected(WebEndpointResponse.STATUS_BAD_REQUEST, "The parameter 'key' is missing");
	}

	private static WebEndpointResponse<Object> rejected(int status, @Nullable String reason) {
		return new WebEndpointResponse<>(Map.of("status", status, "error", String.valueOf(reason)), status);
	}

}
