package io.leasehold.engine.redlock;

import java.util.List;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Tag;

import io.leasehold.autoconfigure.ApplicationContract;
import io.leasehold.server.Ports;

import org.springframework.boot.builder.SpringApplicationBuilder;

/**
 * The contract of applications for {@link RedlockLockEngine}.
 */
@Tag("full")
class RedlockApplicationIntegrationTests extends ApplicationContract {

	@Override
	protected void connect(SpringApplicationBuilder application) {
		connect(application, RedlockTestMasters.shared().ports());
	}

	@Override
	protected void connectToNothing(SpringApplicationBuilder application) {
		connect(application, List.of(Ports.free(), Ports.free(), Ports.free()));
	}

	/** The servers of a test have just started. */
	private static void connect(SpringApplicationBuilder application, List<Integer> ports) {
		String nodes = ports.stream().map((port) -> "127.0.0.1:" + port).collect(Collectors.joining(","));
		application.properties("leasehold.engine=redlock", "leasehold.redlock.nodes=" + nodes,
				"leasehold.redlock.restart-delay=0");
	}

}
