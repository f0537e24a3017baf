package io.leasehold.soak;

import java.io.IOException;
import java.util.Random;
import java.util.UUID;

import com.zaxxer.hikari.HikariDataSource;
import io.leasehold.HeldLock;
import io.leasehold.server.FaultProxy;
import org.jspecify.annotations.Nullable;

import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.util.Assert;

/**
 * The {@linkplain FencedLedger ledger} behind a network that fails at each commit: the
 * commit does not arrive, it arrives when its client has given up, or its response does
 * not arrive. For one thread.
 */
final class BreakingDatabase implements AutoCloseable {

	private final FaultProxy network;

	private final HikariDataSource pool = new HikariDataSource();

	private final Random random;

	private final FencedLedger ledger;

	private boolean committing;

	private FaultProxy.@Nullable Valve stranded;

	BreakingDatabase(int port, Random random) {
		this.random = random;
		this.network = FaultProxy.to(port);
		this.pool.setJdbcUrl(Stores.postgresUrl(this.network.port()) + "&socketTimeout=1");
		this.pool.setMaximumPoolSize(2);
		this.pool.setConnectionTimeout(2000);
		this.ledger = new FencedLedger(this.pool, true, new TransactionExecutionListener() {

			@Override
			public void beforeCommit(TransactionExecution transaction) {
				breakCommit();
			}

		});
	}

	private void breakCommit() {
		this.committing = true;
		switch (this.random.nextInt(3)) {
			case 0 -> this.network.requests().reset();
			case 1 -> this.network.replies().reset();
			default -> this.stranded = this.network.strandRequests();
		}
	}

	/**
	 * Write under a lock, and fail.
	 * @return whether the outcome is unknown: otherwise the write was rolled back before
	 * its commit
	 */
	boolean write(HeldLock lock, UUID id) {
		this.committing = false;
		boolean committed = false;
		try {
			committed = this.ledger.write(lock, id);
		}
		catch (RuntimeException ex) {
			// whatever the driver reports
		}
		Assert.state(!committed, "A commit succeeded, although its connection was broken");
		return this.committing;
	}

	/** Let new connections work. A commit that was held arrives now. */
	void heal() {
		FaultProxy.Valve held = this.stranded;
		if (held != null) {
			held.open();
			this.stranded = null;
		}
		this.network.heal();
		// Connections that were stranded would be out of reach of the next fault
		this.network.reset();
	}

	@Override
	public void close() throws IOException {
		this.pool.close();
		this.network.close();
	}

}
