package io.leasehold.autoconfigure.containers;

import java.util.List;

import io.leasehold.autoconfigure.memcached.MemcachedConnectionDetails;
import org.testcontainers.containers.Container;

import org.springframework.boot.testcontainers.service.connection.ContainerConnectionDetailsFactory;
import org.springframework.boot.testcontainers.service.connection.ContainerConnectionSource;

/** Factory of {@link MemcachedConnectionDetails} for a container of Testcontainers. */
class MemcachedContainerConnectionDetailsFactory
		extends ContainerConnectionDetailsFactory<Container<?>, MemcachedConnectionDetails> {

	MemcachedContainerConnectionDetailsFactory() {
		super(List.of(Images.MEMCACHED), "com.spotify.folsom.MemcacheClient");
	}

	@Override
	protected MemcachedConnectionDetails getContainerConnectionDetails(ContainerConnectionSource<Container<?>> source) {
		return new Details(source);
	}

	private static final class Details extends ContainerConnectionDetails<Container<?>>
			implements MemcachedConnectionDetails {

		Details(ContainerConnectionSource<Container<?>> source) {
			super(source);
		}

		@Override
		public List<String> getServers() {
			return List.of(getContainer().getHost() + ":" + getContainer().getMappedPort(11211));
		}

	}

}
