package io.leasehold.autoconfigure.containers;

import java.util.List;

import io.leasehold.autoconfigure.zookeeper.ZooKeeperConnectionDetails;
import org.testcontainers.containers.Container;

import org.springframework.boot.testcontainers.service.connection.ContainerConnectionDetailsFactory;
import org.springframework.boot.testcontainers.service.connection.ContainerConnectionSource;

/** Factory of {@link ZooKeeperConnectionDetails} for a container of Testcontainers. */
class ZooKeeperContainerConnectionDetailsFactory
		extends ContainerConnectionDetailsFactory<Container<?>, ZooKeeperConnectionDetails> {

	ZooKeeperContainerConnectionDetailsFactory() {
		super(List.of(Images.ZOOKEEPER), "org.apache.curator.framework.CuratorFramework");
	}

	@Override
	protected ZooKeeperConnectionDetails getContainerConnectionDetails(ContainerConnectionSource<Container<?>> source) {
		return new Details(source);
	}

	private static final class Details extends ContainerConnectionDetails<Container<?>>
			implements ZooKeeperConnectionDetails {

		Details(ContainerConnectionSource<Container<?>> source) {
			super(source);
		}

		@Override
		public String getConnectString() {
			return getContainer().getHost() + ":" + getContainer().getMappedPort(2181);
		}

	}

}
