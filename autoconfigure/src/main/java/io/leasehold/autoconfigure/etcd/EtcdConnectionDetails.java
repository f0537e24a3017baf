package io.leasehold.autoconfigure.etcd;

import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.autoconfigure.service.connection.ConnectionDetails;
import org.springframework.boot.ssl.SslBundle;

/**
 * Connection details of the etcd cluster with the locks. A bean of this type replaces the
 * properties {@code endpoints}, {@code username}, {@code password} and
 * {@code ssl.bundle}.
 */
public interface EtcdConnectionDetails extends ConnectionDetails {

	/** Return the client URLs of the members, such as {@code http://etcd1:2379}. */
	List<String> getEndpoints();

	/** Return the name of the user, or {@code null} for none. */
	default @Nullable String getUsername() {
		return null;
	}

	/** Return the password of the user, or {@code null} for none. */
	default @Nullable String getPassword() {
		return null;
	}

	/** Return the SSL bundle, or {@code null} for the certificates of the JVM. */
	default @Nullable SslBundle getSslBundle() {
		return null;
	}

}
