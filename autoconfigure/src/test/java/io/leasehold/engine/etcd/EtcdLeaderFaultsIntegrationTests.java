package io.leasehold.engine.etcd;

import java.time.Duration;
import java.util.List;

import io.leasehold.engine.LockEngine;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.leadership.LeaderFaultsContract;
import io.leasehold.leadership.ProxiedRoute;
import io.leasehold.leadership.Route;
import io.leasehold.server.EtcdTestServer;
import org.junit.jupiter.api.Tag;

/**
 * Leaders that an etcd server elects while it or the network fails.
 */
@Tag("full")
class EtcdLeaderFaultsIntegrationTests extends LeaderFaultsContract {

	private static final Duration SESSION = Duration.ofSeconds(4);

	@Override
	protected Route connect(String namespace, Member member) {
		EtcdEngines.warmUp();
		return new ProxiedRoute(List.of(EtcdTestServer.shared().port()), (ports) -> open(namespace, ports.get(0)));
	}

	private static LockEngine open(String namespace, int port) {
		return new EtcdLockEngine(EtcdEngines.connection("http://127.0.0.1:" + port),
				new EtcdSettings(namespace, SESSION, EtcdEngines.callTimeout(SESSION), Duration.ofSeconds(1)),
				MonotonicClock.SYSTEM);
	}

	@Override
	protected void empty(String namespace) {
		EtcdOperator operator = new EtcdOperator(EtcdTestServer.shared().url());
		operator.residue(namespace).forEach(operator::remove);
	}

}
