package io.leasehold.benchmark.contender;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.Lock;

/**
 * jetcd's {@code Lock}, by which the server keeps the queue, on the lease of the process.
 */
final class JetcdContender implements Contender {

	/** Long enough for any run without a renewal. */
	private static final int SECONDS = 86_400;

	private final Client client;

	private final Lock locks;

	private final long lease;

	JetcdContender(String address) {
		this.client = Client.builder().endpoints(address).build();
		this.locks = this.client.getLockClient();
		this.lease = this.client.getLeaseClient().grant(SECONDS).join().getID();
	}

	@Override
	public Held acquire(String key) throws Exception {
		ByteSequence held = this.locks.lock(BareEtcd.bytes("jetcd/" + key), this.lease).get().getKey();
		return () -> this.locks.unlock(held).get();
	}

	@Override
	public void close() {
		this.client.close();
	}

}
