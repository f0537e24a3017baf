package io.leasehold.autoconfigure.containers;

import java.util.List;

import io.leasehold.autoconfigure.etcd.EtcdConnectionDetails;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.docker.compose.core.RunningService;
import org.springframework.boot.docker.compose.service.connection.DockerComposeConnectionDetailsFactory;
import org.springframework.boot.docker.compose.service.connection.DockerComposeConnectionSource;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.util.StringUtils;

/** Factory of {@link EtcdConnectionDetails} for a service of Docker Compose. */
class EtcdDockerComposeConnectionDetailsFactory extends DockerComposeConnectionDetailsFactory<EtcdConnectionDetails> {

	EtcdDockerComposeConnectionDetailsFactory() {
		super(Images.ETCD, "io.grpc.ManagedChannel");
	}

	@Override
	protected EtcdConnectionDetails getDockerComposeConnectionDetails(DockerComposeConnectionSource source) {
		return new Details(source.getRunningService());
	}

	private static final class Details extends DockerComposeConnectionDetails implements EtcdConnectionDetails {

		private final RunningService service;

		private final @Nullable SslBundle bundle;

		Details(RunningService service) {
			super(service);
			this.service = service;
			this.bundle = getSslBundle(service);
		}

		@Override
		public List<String> getEndpoints() {
			return List.of("%s://%s:%s".formatted((this.bundle != null) ? "https" : "http", this.service.host(),
					this.service.ports().get(2379)));
		}

		@Override
		public @Nullable String getUsername() {
			return (getPassword() != null) ? "root" : null;
		}

		@Override
		public @Nullable String getPassword() {
			String password = this.service.env().get("ETCD_ROOT_PASSWORD");
			return StringUtils.hasText(password) ? password : null;
		}

		@Override
		public @Nullable SslBundle getSslBundle() {
			return this.bundle;
		}

	}

}
