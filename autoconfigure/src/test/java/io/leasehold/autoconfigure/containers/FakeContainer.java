package io.leasehold.autoconfigure.containers;

import org.testcontainers.containers.GenericContainer;

/**
 * A container whose port is that of a server of this machine, so that it needs no Docker.
 */
class FakeContainer extends GenericContainer<FakeContainer> {

	private final String image;

	private final int port;

	FakeContainer(String image, int port) {
		super(image);
		this.image = image;
		this.port = port;
	}

	@Override
	public String getDockerImageName() {
		return this.image;
	}

	@Override
	public String getHost() {
		return "localhost";
	}

	@Override
	public Integer getMappedPort(int port) {
		return this.port;
	}

	@Override
	public void start() {
		// it runs
	}

	@Override
	public void stop() {
		// the server is shared
	}

}
