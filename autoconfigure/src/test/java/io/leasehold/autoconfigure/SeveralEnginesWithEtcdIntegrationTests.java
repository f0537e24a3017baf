package io.leasehold.autoconfigure;

import java.util.List;

import org.junit.jupiter.api.Tag;

import io.leasehold.server.EtcdTestServer;

/**
 * One application whose methods lock in etcd, in PostgreSQL and in Redis.
 */
@Tag("full")
class SeveralEnginesWithEtcdIntegrationTests extends SeveralEnginesIntegrationTests {

	@Override
	List<String> engines() {
		return List.of("etcd", "jdbc", "redis");
	}

	@Override
	int port(String engine) {
		return engine.equals("etcd") ? EtcdTestServer.shared().port() : super.port(engine);
	}

	@Override
	String third() {
		return "leasehold.etcd.endpoints=http://127.0.0.1:" + network("etcd").port();
	}

}
