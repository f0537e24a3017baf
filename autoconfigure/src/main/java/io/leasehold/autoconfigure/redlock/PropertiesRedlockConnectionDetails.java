package io.leasehold.autoconfigure.redlock;

import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.util.StringUtils;

/**
 * Connection details from the properties.
 *
 * @param properties the properties
 * @param bundles the application's SSL bundles
 */
record PropertiesRedlockConnectionDetails(RedlockProperties properties,
		ObjectProvider<SslBundles> bundles) implements RedlockConnectionDetails {

	@Override
	public List<String> getNodes() {
		return this.properties.nodes();
	}

	@Override
	public @Nullable String getUsername() {
		String username = this.properties.username();
		return StringUtils.hasText(username) ? username : null;
	}

	@Override
	public @Nullable String getPassword() {
		String password = this.properties.password();
		return StringUtils.hasLength(password) ? password : null;
	}

	@Override
	public @Nullable SslBundle getSslBundle() {
		String bundle = this.properties.ssl().bundle();
		return StringUtils.hasText(bundle) ? this.bundles.getObject().getBundle(bundle) : null;
	}

}
