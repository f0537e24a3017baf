package io.leasehold.autoconfigure.etcd;

import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;

/**
 * Connection details from the properties.
 *
 * @param properties the properties
 * @param bundles the application's SSL bundles
 */
record PropertiesEtcdConnectionDetails(EtcdProperties properties,
		ObjectProvider<SslBundles> bundles) implements EtcdConnectionDetails {

	@Override
	public List<String> getEndpoints() {
		return this.properties.endpoints();
	}

	@Override
	public @Nullable String getUsername() {
		return this.properties.username();
	}

	@Override
	public @Nullable String getPassword() {
		return this.properties.password();
	}

	@Override
	public @Nullable SslBundle getSslBundle() {
		String bundle = this.properties.ssl().bundle();
		return (bundle != null) ? this.bundles.getObject().getBundle(bundle) : null;
	}

}
