package io.leasehold.transaction;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import io.leasehold.HeldLock;
import io.leasehold.LockKey;
import io.leasehold.reactive.ReactiveLocks;
import io.leasehold.service.Handles;
import io.r2dbc.spi.Batch;
import io.r2dbc.spi.Connection;
import io.r2dbc.spi.ConnectionFactory;
import io.r2dbc.spi.ConnectionMetadata;
import io.r2dbc.spi.IsolationLevel;
import io.r2dbc.spi.Statement;
import io.r2dbc.spi.TransactionDefinition;
import io.r2dbc.spi.ValidationDepth;
import io.r2dbc.spi.Wrapped;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

/**
 * Connection of a reactive transaction that does not commit if a lock was lost: one of
 * the subscription or of the thread that began the transaction, or one that was acquired
 * inside. Nor does it commit if a fencing token of the subscription is stale. This is the
 * last step before the commit, after all synchronizations and listeners. The transaction
 * manager rolls back after the failure. After a commit of unknown outcome, the locks are
 * lost, and their keys stay locked until the leases end. When the manager closes the
 * connection, after all synchronizations, the locks that were acquired inside are
 * released.
 */
final class GuardedConnection implements Connection, Wrapped<Connection> {

	private static final AtomicLong COUNT = new AtomicLong();

	/** Order of the connections, which is that of their transactions. */
	private final long number = COUNT.incrementAndGet();

	private final Connection target;

	private final ConnectionFactory database;

	/** Locks of the thread that began the transaction, and usually waits for its end. */
	private final List<HeldLock> outer;

	private final boolean refusesLost;

	private final ReactiveReleases releases = new ReactiveReleases(() -> this.open);

	private volatile boolean open;

	private volatile boolean readOnly;

	/** Locks of the subscription that were held when the transaction began. */
	private volatile List<HeldLock> entered = List.of();

	/**
	 * Create a connection.
	 * @param outer locks of the thread that begins the transaction
	 * @param refusesLost whether lost locks prevent a commit
	 */
	GuardedConnection(Connection target, ConnectionFactory database, List<HeldLock> outer, boolean refusesLost) {
		this.target = target;
		this.database = database;
		this.outer = outer;
		this.refusesLost = refusesLost;
	}

	/** Return whether the transaction began after another one, if there is another. */
	boolean isInside(@Nullable GuardedConnection other) {
		return other == null || this.number > other.number;
	}

	boolean isReadOnly() {
		return this.readOnly;
	}

	/** Return the application's database, to which the connection belongs. */
	ConnectionFactory database() {
		return this.database;
	}

	ReactiveReleases releases() {
		return this.releases;
	}

	@Override
	public Mono<Void> beginTransaction() {
		return begin(this.target.beginTransaction());
	}

	@Override
	public Mono<Void> beginTransaction(TransactionDefinition definition) {
		this.readOnly = Boolean.TRUE.equals(definition.getAttribute(TransactionDefinition.READ_ONLY));
		return begin(this.target.beginTransaction(definition));
	}

	private Mono<Void> begin(Publisher<Void> begun) {
		return Mono.deferContextual((context) -> {
			this.entered = ReactiveLocks.held(context).stream().filter(HeldLock::isValid).toList();
			return Mono.from(begun).doOnSuccess((none) -> this.open = true);
		});
	}

	/**
	 * Commit while the locks are held, also if the subscription is cancelled meanwhile
	 * and closes them.
	 */
	@Override
	public Mono<Void> commitTransaction() {
		return Mono.deferContextual((context) -> {
			List<HeldLock> locks = locks(context);
			return Mono.using(() -> Handles.keep(locks), (kept) -> commit(context, locks), Runnable::run);
		});
	}

	private Mono<Void> commit(ContextView context, List<HeldLock> locks) {
		if (this.refusesLost) {
			locks.forEach(HeldLock::throwIfLost);
			this.entered.forEach(GuardedConnection::requireOpen);
		}
		return Flux.fromIterable(ReactiveFences.in(context))
			.concatMap((fences) -> fences.compare(this))
			.then(Mono.defer(() -> commit(locks)));
	}

	private static void requireOpen(HeldLock lock) {
		if (!lock.isValid()) {
			throw new IllegalStateException(
					"Lock '%s' was released before the commit, because its subscription was cancelled: the transaction was rolled back"
						.formatted(LockKey.readable(lock.key())));
		}
	}

	private Mono<Void> commit(List<HeldLock> locks) {
		return Mono.from(this.target.commitTransaction())
			.doOnSuccess((committed) -> this.open = false)
			.onErrorResume((failure) -> locks.isEmpty() ? Mono.error(failure) : isWorking().doOnNext((working) -> {
				if (!working) {
					locks.forEach(Handles::commitUnknown);
				}
			}).then(Mono.error(failure)));
	}

	/** Return whether the database responds: then it has rejected a failed commit. */
	private Mono<Boolean> isWorking() {
		return Mono.from(this.target.validate(ValidationDepth.REMOTE))
			.timeout(CommitAttempt.TIMEOUT)
			.onErrorReturn(false)
			.defaultIfEmpty(false);
	}

	@Override
	public Mono<Void> rollbackTransaction() {
		return Mono.from(this.target.rollbackTransaction()).doOnSuccess((rolledBack) -> this.open = false);
	}

	/**
	 * Roll back first if a transaction under a lock is open. Spring restores this mode
	 * after a {@code TransactionException} that was thrown before the commit, without a
	 * rollback, and drivers commit then.
	 */
	@Override
	public Mono<Void> setAutoCommit(boolean autoCommit) {
		return Mono.deferContextual((context) -> {
			Mono<Void> set = Mono.from(this.target.setAutoCommit(autoCommit));
			return (this.open && !locks(context).isEmpty()) ? rollbackTransaction().then(set) : set;
		});
	}

	/** Return the locks that the transaction runs under. */
	private List<HeldLock> locks(ContextView context) {
		List<HeldLock> locks = new ArrayList<>(this.outer);
		locks.addAll(this.releases.locks());
		locks.addAll(ReactiveLocks.held(context));
		return locks;
	}

	@Override
	public Mono<Void> close() {
		return Flux.concatDelayError(this.target.close(), this.releases.complete()).then();
	}

	@Override
	public Connection unwrap() {
		return this.target;
	}

	@Override
	public Publisher<Void> createSavepoint(String name) {
		return this.target.createSavepoint(name);
	}

	@Override
	public Publisher<Void> releaseSavepoint(String name) {
		return this.target.releaseSavepoint(name);
	}

	@Override
	public Publisher<Void> rollbackTransactionToSavepoint(String name) {
		return this.target.rollbackTransactionToSavepoint(name);
	}

	@Override
	public boolean isAutoCommit() {
		return this.target.isAutoCommit();
	}

	@Override
	public IsolationLevel getTransactionIsolationLevel() {
		return this.target.getTransactionIsolationLevel();
	}

	@Override
	public Publisher<Void> setTransactionIsolationLevel(IsolationLevel isolationLevel) {
		return this.target.setTransactionIsolationLevel(isolationLevel);
	}

	@Override
	public Batch createBatch() {
		return this.target.createBatch();
	}

	@Override
	public Statement createStatement(String sql) {
		return this.target.createStatement(sql);
	}

	@Override
	public Publisher<Void> setLockWaitTimeout(Duration timeout) {
		return this.target.setLockWaitTimeout(timeout);
	}

	@Override
	public Publisher<Void> setStatementTimeout(Duration timeout) {
		return this.target.setStatementTimeout(timeout);
	}

	@Override
	public ConnectionMetadata getMetadata() {
		return this.target.getMetadata();
	}

	@Override
	public Publisher<Boolean> validate(ValidationDepth depth) {
		return this.target.validate(depth);
	}

}
