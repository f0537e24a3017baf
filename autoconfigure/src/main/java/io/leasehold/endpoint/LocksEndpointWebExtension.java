package io.leasehold.endpoint;

import java.util.Map;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;

/**
 * Web form of the {@link LocksEndpoint}. The response to a rejected request contains the
 * reason, which Spring Boot omits from its own error responses.
 */
@EndpointWebExtension(endpoint = LocksEndpoint.class)
public class LocksEndpointWebExtension {

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
	 * Release a key by force.
	 * @param securityContext the authenticated user
	 * @return the holders that lost it, or status 400 with the reason
	 * @see LocksEndpoint#forceRelease(String, String, SecurityContext)
	 */
	@DeleteOperation
	public WebEndpointResponse<Object> forceRelease(@Selector String engine, @Nullable String key,
			SecurityContext securityContext) {
		return (key != null) ? respond(() -> this.endpoint.forceRelease(engine, key, securityContext))
				: rejected("The parameter 'key' is missing");
	}

	private static WebEndpointResponse<Object> respond(Supplier<Object> operation) {
		try {
			return new WebEndpointResponse<>(operation.get());
		}
		catch (InvalidEndpointRequestException ex) {
			return rejected(ex.getReason());
		}
	}

	private static WebEndpointResponse<Object> rejected(@Nullable String reason) {
		return new WebEndpointResponse<>(
				Map.of("status", WebEndpointResponse.STATUS_BAD_REQUEST, "error", String.valueOf(reason)),
				WebEndpointResponse.STATUS_BAD_REQUEST);
	}

}
