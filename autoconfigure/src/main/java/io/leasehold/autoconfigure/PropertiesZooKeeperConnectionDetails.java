package io.leasehold.autoconfigure;

import java.util.Objects;

/**
 * Connection details from {@link ZooKeeperProperties}.
 */
class PropertiesZooKeeperConnectionDetails implements ZooKeeperConnectionDetails {

	private final ZooKeeperProperties properties;

	PropertiesZooKeeperConnectionDetails(ZooKeeperProperties properties) {
		this.properties = properties;
	}

	@Override
	public String getConnectString() {
		return Objects.requireNonNull(this.properties.connectString());
	}

}
