package io.leasehold.docs;

import java.util.Optional;

import io.leasehold.DistributedLocks;
import io.leasehold.FencingGuard;
import io.leasehold.LockInspector;
import io.leasehold.engine.local.LocalLockEngine;
import io.leasehold.leadership.Leadership;
import io.leasehold.test.LockRecorder;
import io.leasehold.test.VirtualClock;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * What the examples of the manual take for granted around them.
 */
@SuppressWarnings("NullAway.Init")
public abstract class Snippet {

	protected DistributedLocks locks;

	protected LockInspector inspector;

	protected FencingGuard fencing;

	protected TransactionTemplate transactions;

	protected JdbcClient jdbc;

	protected Leadership leadership;

	protected long token;

	protected Orders orders;

	protected Order order;

	protected OrderService service;

	protected LockRecorder recorder;

	protected LocalLockEngine engine;

	protected VirtualClock clock;

	protected void work() {
	}

	/** Repository of orders. */
	public interface Orders {

		Order find(long id);

		void save(Order order, long fencingToken);

		Optional<Order> oldest();

	}

	/** An order. */
	public interface Order {

		long id();

		String customer();

		void pay();

		void cancel();

	}

}
