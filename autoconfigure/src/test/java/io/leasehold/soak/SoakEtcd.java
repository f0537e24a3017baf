package io.leasehold.soak;

import java.util.List;
import java.util.Random;

import io.leasehold.engine.etcd.EtcdOperator;
import io.leasehold.server.EtcdTestServer;
import io.leasehold.server.FaultProxy;

/**
 * A cluster of three members of etcd, with users. Each connection of a JVM leads to
 * another member.
 */
final class SoakEtcd implements AutoCloseable {

	/** With the default time for elections, so that short sessions are possible. */
	private final List<EtcdTestServer> members = EtcdTestServer.cluster(3, "heartbeat-interval=100",
			"election-timeout=1000", "bcrypt-cost=4");

	private final Account account;

	SoakEtcd() {
		this.account = Account.etcd(this.members.get(0).url());
	}

	/** Return a network that balances its connections over the members. */
	FaultProxy network() {
		return FaultProxy.to(this.members.stream().mapToInt(EtcdTestServer::port).toArray());
	}

	Account account() {
		return this.account;
	}

	/** Stop one of the members as it is, and let it go on after a while. */
	void stopMember(Random random) throws InterruptedException {
		EtcdTestServer member = this.members.get(random.nextInt(this.members.size()));
		member.signal("STOP");
		Thread.sleep(random.nextInt(3000));
		member.signal("CONT");
	}

	List<String> residue() {
		return EtcdOperator.root(this.members.get(0).url()).residue(Stores.NAMESPACE);
	}

	@Override
	public void close() {
		this.members.forEach(EtcdTestServer::close);
	}

}
