package io.leasehold.engine.jdbc;

import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

import javax.sql.DataSource;

import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Capability;
import io.leasehold.engine.Claim;
import io.leasehold.engine.HeldKeys;
import io.leasehold.engine.Holder;
import io.leasehold.engine.KeptKeys;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.Renewal;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.engine.RenewalRule;
import io.leasehold.engine.RevocationListener;
import io.leasehold.engine.Signal;
import io.leasehold.engine.Subscription;
import io.leasehold.engine.TransactionLocks;
import io.leasehold.engine.support.OpenState;
import io.leasehold.engine.support.Purge;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Engine that stores locks as rows of a table. An uncontended exclusive lock needs one
 * statement to acquire and one to release. A shared lock or a permit needs a short
 * transaction for each. Waiting claims poll, and are notified if the database supports
 * it.
 * <p>
 * Exclusion assumes that the database loses no commits and that its clock does not jump
 * forward; the fencing token covers the remaining cases. Thread-safe.
 */
public final class JdbcLockEngine implements LockEngine, AutoCloseable {

	/** Name of this engine. */
	public static final String NAME = "jdbc";

	private static final Log logger = LogFactory.getLog(JdbcLockEngine.class);

	private static final Set<Capability> WITHOUT_LINGER = Set.of(Capability.SHARED, Capability.PERMITS,
			Capability.MIN_HOLD, Capability.LOCK_DELAY);

	private static final Set<Capability> WITH_LINGER = Set.copyOf(EnumSet.complementOf(EnumSet.of(Capability.FIFO)));

	private static final Duration FIRST_PURGE = Duration.ofSeconds(10);

	static final int PURGED_AT_ONCE = 100;

	private final OpenState state = new OpenState(NAME);

	private final LockDatabase database;

	private final JdbcSettings settings;

	private final MonotonicClock clock;

	private final Renewer renewer;

	/** Created when the engine starts. */
	private volatile @Nullable Purge purge;

	private final LateRequests late;

	private final Releases releases;

	private final JdbcTransactionLocks inTransactions;

	final GrantReports reports;

	/** Create an engine without locks in transactions. */
	public JdbcLockEngine(JdbcConnections connections, JdbcSettings settings, MonotonicClock clock) {
		this(connections, settings, clock, null);
	}

	/**
	 * Create an engine.
	 * @param connections the engine's connections, closed with it
	 * @param clock monotonic clock of the service
	 * @param application data source of the transactions that can hold locks, with the
	 * same database; {@code null} for none
	 */
	public JdbcLockEngine(JdbcConnections connections, JdbcSettings settings, MonotonicClock clock,
			@Nullable DataSource application) {
		this.reports = new GrantReports(settings, clock);
		this.database = new LockDatabase(connections, settings, this.state, this.reports);
		this.settings = settings;
		this.clock = clock;
		this.renewer = new Renewer(this.database, clock);
		this.late = new LateRequests(clock);
		this.releases = new Releases(this.database, settings, this.late);
		this.inTransactions = new JdbcTransactionLocks(this.database, settings, application);
	}

	/**
	 * Check the tables, and remove idle rows while locks are used. An unreachable
	 * database is only logged.
	 * @throws LockEngineException if a table is missing, not as required, or inaccessible
	 */
	public void start() {
		try {
			this.database.call(CallKind.ACQUIRE, "use its table '%s'".formatted(this.settings.table()), null,
					(session, tables) -> {
						tables.upkeep().check(session);
						return true;
					});
		}
		catch (LockEngineException ex) {
			if (!ex.isRetryable()) {
				throw ex;
			}
			logger.warn("Locks fail until the database can be reached: " + ex.getMessage());
		}
		this.purge = new Purge("leasehold-jdbc-purge", FIRST_PURGE, this::removeIdle);
	}

	@Override
	public String name() {
		return NAME;
	}

	@Override
	public @Nullable String location() {
		return this.database.location();
	}

	@Override
	public Set<Capability> capabilities() {
		return this.database.mayRecall() ? WITH_LINGER : WITHOUT_LINGER;
	}

	@Override
	public Duration minLease() {
		return RenewalRule.minLease(this.settings.callTimeout());
	}

	@Override
	public TransactionLocks transactionLocks() {
		return this.inTransactions;
	}

	@Override
	public KeptKeys keptKeys() {
		return new KeptRows(this.database);
	}

	@Override
	public AcquisitionOutcome tryAcquire(Claim claim) {
		Purge present = this.purge;
		if (present != null) {
			present.runIfDue();
		}
		this.reports.expect(claim);
		RowId id = this.database.id(claim.key());
		try {
			AcquisitionOutcome outcome = this.database.call(CallKind.ACQUIRE, "acquire", claim.key(),
					(session,
							tables) -> new Acquisition(this.settings, this.clock, this.late, session, tables, id, claim)
								.attempt());
			this.late.responded(claim);
			if (!(outcome instanceof AcquisitionOutcome.Granted)) {
				this.reports.forget(claim);
			}
			return outcome;
		}
		catch (LockEngineException ex) {
			this.late.addRefused(claim);
			throw ex;
		}
	}

	@Override
	public Subscription subscribe(Claim claim, Consumer<Signal> listener) {
		this.state.check(claim.key());
		WakeUps wakeUps = this.database.wakeUps();
		return (wakeUps != null) ? wakeUps.listen(this.database.id(claim.key()), listener) : Subscription.POLLING;
	}

	@Override
	public void reportRevocations(RevocationListener listener) {
		this.reports.reportTo(listener);
	}

	@Override
	public void subscribeToRecalls() {
		WakeUps wakeUps = this.database.wakeUps();
		if (wakeUps != null) {
			wakeUps.prove();
		}
	}

	@Override
	public boolean receivesRecalls() {
		WakeUps wakeUps = this.database.wakeUps();
		return wakeUps != null && wakeUps.isProven();
	}

	@Override
	public ReleaseOutcome release(Claim claim) {
		this.state.check(claim.key());
		ReleaseOutcome outcome = this.releases.release(claim);
		this.reports.forget(claim);
		return outcome;
	}

	/** Renew, and listen for revocations from the first renewal on. */
	@Override
	public List<RenewalOutcome> renew(List<Renewal> renewals) {
		WakeUps wakeUps = this.database.wakeUps();
		if (wakeUps != null) {
			wakeUps.start();
		}
		return this.state.isClosed() ? this.state.unknown(renewals) : this.renewer.renew(renewals);
	}

	@Override
	public List<Holder> inspect(LockKey key) {
		return this.database.call(CallKind.ACQUIRE, "inspect", key,
				(session, tables) -> tables.rows().inspect(session, this.database.id(key)));
	}

	@Override
	public HeldKeys heldKeys() {
		return new HeldRows(this.database);
	}

	@Override
	public List<Holder> forceRelease(LockKey key) {
		return this.database.call(CallKind.ACQUIRE, "force the release of", key,
				(session, tables) -> tables.shared().freeAll(session, this.database.id(key)));
	}

	/**
	 * Remove all rows that have been idle for the fencing retention, in batches.
	 * @throws LockEngineException if the database did not respond or the engine is closed
	 */
	void removeIdle() {
		int removed;
		do {
			removed = removeIdle(PURGED_AT_ONCE);
		}
		while (removed == PURGED_AT_ONCE);
	}

	/**
	 * Remove rows that have been idle for the fencing retention.
	 * @param most maximum number of rows
	 * @return how many were removed
	 */
	int removeIdle(int most) {
		return this.database.call(CallKind.ACQUIRE, "remove idle rows", null,
				(session, tables) -> tables.upkeep().removeIdle(session, most));
	}

	@Override
	public void close() {
		this.state.close();
		this.renewer.close();
		this.database.close();
	}

}
