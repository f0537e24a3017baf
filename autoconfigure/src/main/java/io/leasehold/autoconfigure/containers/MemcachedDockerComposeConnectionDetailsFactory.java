package io.leasehold.autoconfigure.containers;

import java.util.List;

import io.leasehold.autoconfigure.memcached.MemcachedConnectionDetails;

import org.springframework.boot.docker.compose.core.RunningService;
import org.springframework.boot.docker.compose.service.connection.DockerComposeConnectionDetailsFactory;
import org.springframework.boot.docker.compose.service.connection.DockerComposeConnectionSource;

/** Factory of {@link MemcachedConnectionDetails} for a service of Docker Compose. */
class MemcachedDockerComposeConnectionDetailsFactory
		extends DockerComposeConnectionDetailsFactory<MemcachedConnectionDetails> {

	MemcachedDockerComposeConnectionDetailsFactory() {
		super(Images.MEMCACHED, "com.spotify.folsom.MemcacheClient");
	}

	@Override
	protected MemcachedConnectionDetails getDockerComposeConnectionDetails(DockerComposeConnectionSource source) {
		RunningService service = source.getRunningService();
		return () -> List.of(service.host() + ":" + service.ports().get(11211));
	}

}
