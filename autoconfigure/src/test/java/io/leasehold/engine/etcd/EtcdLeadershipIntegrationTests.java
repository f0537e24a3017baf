package io.leasehold.engine.etcd;

import java.time.Duration;
import java.util.List;

import io.leasehold.leadership.LeadershipContract;
import io.leasehold.server.EtcdTestServer;
import io.leasehold.test.contract.EngineAddress;
import org.junit.jupiter.api.Tag;

/**
 * Leaders that an etcd server elects.
 */
@Tag("full")
class EtcdLeadershipIntegrationTests extends LeadershipContract {

	@Override
	protected List<Integer> ports() {
		return List.of(EtcdTestServer.shared().port());
	}

	@Override
	protected EngineAddress address(List<Integer> ports) {
		return EtcdLockEngineContractIntegrationTests.address("http://127.0.0.1:" + ports.get(0),
				Duration.ofSeconds(6));
	}

	@Override
	protected void empty(String namespace) {
		EtcdOperator operator = new EtcdOperator(EtcdTestServer.shared().url());
		operator.residue(namespace).forEach(operator::remove);
	}

}
