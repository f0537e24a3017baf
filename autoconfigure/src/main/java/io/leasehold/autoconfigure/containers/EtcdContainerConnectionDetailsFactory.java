package io.leasehold.autoconfigure.containers;

import java.util.List;

import io.leasehold.autoconfigure.etcd.EtcdConnectionDetails;
import org.jspecify.annotations.Nullable;
import org.testcontainers.containers.Container;

import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.testcontainers.service.connection.ContainerConnectionDetailsFactory;
import org.springframework.boot.testcontainers.service.connection.ContainerConnectionSource;
import org.springframework.util.StringUtils;

/** Factory of {@link EtcdConnectionDetails} for a container of Testcontainers. */
class EtcdContainerConnectionDetailsFactory
		extends ContainerConnectionDetailsFactory<Container<?>, EtcdConnectionDetails> {

	EtcdContainerConnectionDetailsFactory() {
		super(List.of(Images.ETCD), "io.grpc.ManagedChannel");
	}

	@Override
	protected EtcdConnectionDetails getContainerConnectionDetails(ContainerConnectionSource<Container<?>> source) {
		return new Details(source);
	}

	private static final class Details extends ContainerConnectionDetails<Container<?>>
			implements EtcdConnectionDetails {

		Details(ContainerConnectionSource<Container<?>> source) {
			super(source);
		}

		@Override
		public List<String> getEndpoints() {
			return List.of("%s://%s:%s".formatted((getSslBundle() != null) ? "https" : "http", getContainer().getHost(),
					getContainer().getMappedPort(2379)));
		}

		@Override
		public @Nullable String getUsername() {
			return (getPassword() != null) ? "root" : null;
		}

		@Override
		public @Nullable String getPassword() {
			String password = getContainer().getEnvMap().get("ETCD_ROOT_PASSWORD");
			return StringUtils.hasText(password) ? password : null;
		}

		@Override
		public @Nullable SslBundle getSslBundle() {
			return super.getSslBundle();
		}

	}

}
