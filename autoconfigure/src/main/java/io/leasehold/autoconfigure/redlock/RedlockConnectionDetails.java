package io.leasehold.autoconfigure.redlock;

import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.autoconfigure.service.connection.ConnectionDetails;
import org.springframework.boot.ssl.SslBundle;

/**
 * Connection details of the masters. A bean of this type replaces
 * {@code leasehold.redlock.nodes}, {@code username}, {@code password} and
 * {@code ssl.bundle}. User name and password are read for each new connection.
 */
public interface RedlockConnectionDetails extends ConnectionDetails {

	/** Return the addresses of the masters, such as {@code redis-1:6379}. */
	List<String> getNodes();

	/** Return the user name, or {@code null} for the default account. */
	default @Nullable String getUsername() {
		return null;
	}

	/** Return the password, or {@code null} for none. */
	default @Nullable String getPassword() {
		return null;
	}

	/** Return the SSL bundle, or {@code null} for unencrypted connections. */
	default @Nullable SslBundle getSslBundle() {
		return null;
	}

}
