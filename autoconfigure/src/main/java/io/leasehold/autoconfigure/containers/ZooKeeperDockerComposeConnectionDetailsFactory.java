package io.leasehold.autoconfigure.containers;

import io.leasehold.autoconfigure.zookeeper.ZooKeeperConnectionDetails;

import org.springframework.boot.docker.compose.core.RunningService;
import org.springframework.boot.docker.compose.service.connection.DockerComposeConnectionDetailsFactory;
import org.springframework.boot.docker.compose.service.connection.DockerComposeConnectionSource;

/** Factory of {@link ZooKeeperConnectionDetails} for a service of Docker Compose. */
class ZooKeeperDockerComposeConnectionDetailsFactory
		extends DockerComposeConnectionDetailsFactory<ZooKeeperConnectionDetails> {

	ZooKeeperDockerComposeConnectionDetailsFactory() {
		super(Images.ZOOKEEPER, "org.apache.curator.framework.CuratorFramework");
	}

	@Override
	protected ZooKeeperConnectionDetails getDockerComposeConnectionDetails(DockerComposeConnectionSource source) {
		RunningService service = source.getRunningService();
		return () -> service.host() + ":" + service.ports().get(2181);
	}

}
