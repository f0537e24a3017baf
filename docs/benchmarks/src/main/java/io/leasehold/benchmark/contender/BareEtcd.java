package io.leasehold.benchmark.contender;

import java.nio.charset.StandardCharsets;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.KV;
import io.etcd.jetcd.op.Cmp;
import io.etcd.jetcd.op.CmpTarget;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.PutOption;

/**
 * The least that a lock in etcd has to do, by jetcd: a put of a key that does not exist,
 * on the lease of the process, and its deletion.
 */
final class BareEtcd implements Contender {

	/** Long enough for any run without a renewal. */
	private static final int SECONDS = 86_400;

	private final Client client;

	private final KV store;

	private final PutOption lease;

	private final ByteSequence owner = bytes(Long.toString(ProcessHandle.current().pid()));

	BareEtcd(String address) {
		this.client = Client.builder().endpoints(address).build();
		this.store = this.client.getKVClient();
		this.lease = PutOption.builder()
			.withLeaseId(this.client.getLeaseClient().grant(SECONDS).join().getID())
			.build();
	}

	@Override
	public Held acquire(String key) throws Exception {
		ByteSequence name = bytes("bare/" + key);
		Polling.until(() -> this.store.txn()
			.If(new Cmp(name, Cmp.Op.EQUAL, CmpTarget.createRevision(0)))
			.Then(Op.put(name, this.owner, this.lease))
			.commit()
			.get()
			.isSucceeded());
		return () -> this.store.delete(name).get();
	}

	static ByteSequence bytes(String text) {
		return ByteSequence.from(text, StandardCharsets.UTF_8);
	}

	@Override
	public void close() {
		this.client.close();
	}

}
