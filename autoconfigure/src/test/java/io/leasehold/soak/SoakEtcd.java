package io.leasehold.soak;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;

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

	private final List<Exemption> returns = new ArrayList<>();

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

	/**
	 * Stop one of the members as it is, and let it go on after a while. If another one
	 * was elected meanwhile, a former leader before etcd 3.4.31 may then end leases that
	 * this one has extended.
	 * @see <a href="https://github.com/etcd-io/etcd/issues/15247">etcd issue 15247</a>
	 */
	void stopMember(Random random) throws InterruptedException {
		EtcdTestServer member = this.members.get(random.nextInt(this.members.size()));
		member.signal("STOP");
		Thread.sleep(random.nextInt(3000));
		long goesOn = System.nanoTime();
		member.signal("CONT");
		this.returns
			.add(new Exemption(goesOn, goesOn + SoakEngines.LEASE.multipliedBy(2).toNanos(), Set.copyOf(Holder.KEYS)));
	}

	/** Return when members went on, once none is stopped any more. */
	List<Exemption> returns() {
		return this.returns;
	}

	List<String> residue() {
		return EtcdOperator.root(this.members.get(0).url()).residue(Stores.NAMESPACE);
	}

	@Override
	public void close() {
		this.members.forEach(EtcdTestServer::close);
	}

}
