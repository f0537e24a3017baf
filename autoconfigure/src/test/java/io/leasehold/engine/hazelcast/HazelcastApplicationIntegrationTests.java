package io.leasehold.engine.hazelcast;

import com.hazelcast.core.HazelcastInstance;
import io.leasehold.autoconfigure.ApplicationContract;
import io.leasehold.server.HazelcastTestCluster;
import io.leasehold.server.Ports;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;

import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.support.GenericApplicationContext;

/**
 * The contract of applications, kept with {@link HazelcastStore}. Each of them uses the
 * same member.
 */
@Tag("full")
class HazelcastApplicationIntegrationTests extends ApplicationContract {

	private final HazelcastInstance disconnected = HazelcastTestCluster.disconnected(Ports.free());

	@AfterAll
	void shutDown() {
		this.disconnected.shutdown();
	}

	@Override
	protected void connect(SpringApplicationBuilder application) {
		use(application, HazelcastTestCluster.shared());
	}

	@Override
	protected void connectToNothing(SpringApplicationBuilder application) {
		use(application, this.disconnected);
	}

	private static void use(SpringApplicationBuilder application, HazelcastInstance instance) {
		// Other tests configure the usual map with another retention
		application.properties("leasehold.engine=hazelcast", "leasehold.hazelcast.map=application")
			.initializers((context) -> ((GenericApplicationContext) context).registerBean("hazelcast",
					HazelcastInstance.class, () -> instance, (definition) -> definition.setDestroyMethodName("")));
	}

}
