package io.leasehold.engine.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import javax.sql.DataSource;

import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import io.leasehold.engine.Attempt;
import io.leasehold.engine.Capability;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Holder;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.Renewal;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.engine.Signal;
import io.leasehold.engine.Waiting;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Locks as rows of a table. An uncontended lock costs one statement to acquire and one to
 * release; waiting claims poll, and are woken where the database can do that.
 * <p>
 * Exclusion assumes that the database loses no commits and that its clock does not jump
 * forward; the fencing token covers what is left. A request that the network delivers
 * late, after its claim was released, can close the key for one lease. Thread-safe.
 */
public final class JdbcLockEngine implements LockEngine, AutoCloseable {

	/** Name of this engine. */
	public static final String NAME = "jdbc";

	private static final Log logger = LogFactory.getLog(JdbcLockEngine.class);

	/** How often a row may turn out free or gone, after it could not be taken. */
	private static final int MOST_ROUNDS = 4;

	private static final int MOST_RENEWALS = 256;

	private static final Duration LEAST_PAUSE = Duration.ofMillis(5);

	/** A poll meant to find an expired lease should not come just before its end. */
	private static final Duration AFTER_EXPIRY = Duration.ofMillis(1);

	private final JdbcConnections connections;

	private final JdbcSettings settings;

	private final MonotonicClock clock;

	private final Purger purger;

	private final AtomicReference<@Nullable Database> database = new AtomicReference<>();

	private volatile boolean closed;

	/**
	 * Create an engine.
	 * @param connections its connections, closed with it
	 * @param settings how it works
	 * @param clock the clock that the service believes in
	 */
	public JdbcLockEngine(JdbcConnections connections, JdbcSettings settings, MonotonicClock clock) {
		this.connections = connections;
		this.settings = settings;
		this.clock = clock;
		this.purger = new Purger(this::removeIdle);
	}

	/**
	 * Check that the table is there, and remove rows from time to time that nobody has
	 * used for long. A database that cannot be reached yet is no mistake.
	 * @throws LockEngineException if the table is missing, or not what it should be, or
	 * may not be used
	 */
	public void start() {
		try {
			call("use its table '%s'".formatted(this.settings.table()), null, (session, table) -> {
				table.check(session);
				return true;
			});
		}
		catch (LockEngineException ex) {
			if (!ex.isRetryable()) {
				throw ex;
			}
			logger.warn("The lock engine's database does not answer yet: " + ex.getMessage());
		}
		this.purger.start();
	}

	@Override
	public String name() {
		return NAME;
	}

	@Override
	public Set<Capability> capabilities() {
		return Set.of(Capability.MIN_HOLD);
	}

	@Override
	public Duration minLease() {
		return this.settings.callTimeout().multipliedBy(2);
	}

	@Override
	public Attempt tryAcquire(Claim claim) {
		RowId id = id(claim.key());
		return call("acquire lock '%s'".formatted(claim.key()), claim.key(), (session, table) -> {
			for (int i = 0; i < MOST_ROUNDS; i++) {
				Attempt attempt = attempt(session, table, id, claim);
				if (attempt != null) {
					return attempt;
				}
			}
			return new Attempt.Busy(this.settings.pollMin());
		});
	}

	/** Try once; {@code null} if the row was not there or not free but is now. */
	private @Nullable Attempt attempt(Session session, LockTable table, RowId id, Claim claim) throws SQLException {
		long sent = this.clock.nanoTime();
		Long number = table.take(session.connection(), id, claim);
		if (number == null) {
			LockTable.Busy busy = table.look(session.connection(), id);
			if (busy != null) {
				return (busy.closedFor() > 0) ? busy(session, table, id, claim, busy) : null;
			}
			sent = this.clock.nanoTime();
			number = table.insert(session.connection(), id, this.settings.namespace(), claim);
		}
		return (number != null) ? new Attempt.Granted(number, MonotonicClock.validUntil(sent, claim.lease())) : null;
	}

	private Attempt busy(Session session, LockTable table, RowId id, Claim claim, LockTable.Busy busy) {
		Duration poll = pollInterval(claim);
		Duration free = micros(busy.closedFor()).plus(AFTER_EXPIRY);
		Duration retryIn = (free.compareTo(poll) < 0) ? free : poll;
		if (claim.waits() && micros(busy.markedFor()).compareTo(retryIn) < 0) {
			try {
				table.mark(session.connection(), id, claim.owner().member().id(), retryIn.multipliedBy(2));
			}
			catch (SQLException ex) {
				logger.debug("Lock '%s' is waited for without a mark".formatted(claim.key()), ex);
			}
		}
		return new Attempt.Busy(retryIn);
	}

	/** Half of the time that the claim has waited, since nothing is kept of its polls. */
	private Duration pollInterval(Claim claim) {
		long least = this.settings.pollMin().toNanos();
		long most = this.settings.pollMax().toNanos();
		long interval = Math.max(least, Math.min(most, (this.clock.nanoTime() - claim.since()) / 2));
		return Duration.ofNanos(Math.max(least, interval - ThreadLocalRandom.current().nextLong(interval / 4 + 1)));
	}

	@Override
	public Waiting enqueue(Claim claim, Consumer<Signal> listener) {
		Database known = this.database.get();
		WakeUps wakeUps = (known != null) ? known.wakeUps() : null;
		return (wakeUps != null) ? wakeUps.listen(id(claim.key()), listener) : Waiting.POLLING;
	}

	@Override
	public ReleaseOutcome release(Claim claim) {
		RowId id = id(claim.key());
		Long marked = this.<@Nullable Long>call("release lock '%s'".formatted(claim.key()), claim.key(),
				(session, table) -> table.free(session.connection(), id, claim.owner().token()));
		if (marked == null) {
			return new ReleaseOutcome.NotOwner();
		}
		if (marked <= 0) {
			return ReleaseOutcome.RELEASED;
		}
		Duration standBack = micros(marked);
		Duration most = this.settings.pollMax();
		return new ReleaseOutcome.Released((standBack.compareTo(most) < 0) ? standBack : most);
	}

	@Override
	public List<RenewalOutcome> renew(List<Renewal> renewals) {
		RenewalOutcome[] outcomes = new RenewalOutcome[renewals.size()];
		List<RowId> ids = renewals.stream().map((renewal) -> id(renewal.claim().key())).toList();
		Map<Duration, List<Integer>> byLease = new HashMap<>();
		// In the order of the rows, so that two batches cannot wait for each other
		IntStream.range(0, renewals.size())
			.boxed()
			.sorted(Comparator.comparing(ids::get))
			.forEach((i) -> byLease.computeIfAbsent(renewals.get(i).lease(), (lease) -> new ArrayList<>()).add(i));
		byLease.forEach((lease, indexes) -> {
			for (int from = 0; from < indexes.size(); from += MOST_RENEWALS) {
				List<Integer> batch = indexes.subList(from, Math.min(from + MOST_RENEWALS, indexes.size()));
				renew(batch, ids, renewals, lease, outcomes);
			}
		});
		return Arrays.asList(outcomes);
	}

	private void renew(List<Integer> batch, List<RowId> ids, List<Renewal> renewals, Duration lease,
			RenewalOutcome[] outcomes) {
		try {
			call("renew %d locks".formatted(batch.size()), null, (session, table) -> {
				long sent = this.clock.nanoTime();
				Set<RowId> renewed = table.renew(session.connection(), batch.stream().map(ids::get).toList(),
						batch.stream().map(renewals::get).toList(), lease);
				RenewalOutcome yes = new RenewalOutcome.Renewed(MonotonicClock.validUntil(sent, lease));
				for (int i : batch) {
					outcomes[i] = renewed.contains(ids.get(i)) ? yes : new RenewalOutcome.NotOwner();
				}
				return true;
			});
		}
		catch (RuntimeException ex) {
			batch.forEach((i) -> outcomes[i] = new RenewalOutcome.Unknown(ex));
		}
	}

	@Override
	public List<Holder> inspect(LockKey key) {
		RowId id = id(key);
		return holders(this.<LockTable.@Nullable Owned>call("inspect lock '%s'".formatted(key), key,
				(session, table) -> table.inspect(session.connection(), id)));
	}

	@Override
	public List<Holder> forceRelease(LockKey key) {
		RowId id = id(key);
		return holders(this.<LockTable.@Nullable Owned>call("force the release of lock '%s'".formatted(key), key,
				(session, table) -> {
					LockTable.Owned owned = table.inspect(session.connection(), id);
					while (owned != null && table.free(session.connection(), id, owned.owner()) == null) {
						owned = table.inspect(session.connection(), id);
					}
					return owned;
				}));
	}

	private static List<Holder> holders(LockTable.@Nullable Owned owned) {
		return (owned != null) ? List.of(Holder.of(owned.owner(), owned.number(),
				Instant.EPOCH.plus(owned.since(), ChronoUnit.MICROS), micros(owned.remaining()))) : List.of();
	}

	/**
	 * Remove some rows that nobody has used for the fencing retention.
	 * @param most how many at most
	 * @return how many there were
	 */
	int removeIdle(int most) {
		return call("remove idle rows", null, (session, table) -> table.removeIdle(session.connection(),
				this.settings.namespace(), this.settings.fencingRetention(), most));
	}

	/**
	 * Make a call, again if the database undid it for another's sake and the time left is
	 * enough for that.
	 */
	private <T extends @Nullable Object> T call(String action, @Nullable LockKey key, Work<T> work) {
		if (this.closed) {
			throw new LockEngineException(key, "The JDBC lock engine is closed", null, false);
		}
		long deadline = System.nanoTime() + this.settings.callTimeout().toNanos();
		while (true) {
			long started = System.nanoTime();
			try (Session session = this.connections.open(deadline)) {
				return work.run(session, database(session).table());
			}
			catch (SQLException ex) {
				long now = System.nanoTime();
				if (!Failures.isUndone(ex) || deadline - now < now - started) {
					Database known = this.database.get();
					throw Failures.of(action, key, this.settings.table(), (known != null) ? known.dialect() : null, ex);
				}
				logger.debug("The database is going to be asked again to " + action, ex);
			}
			long pause = LEAST_PAUSE.toNanos();
			LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(pause, 4 * pause));
		}
	}

	private Database database(Session session) throws SQLException {
		Database known = this.database.get();
		if (known != null) {
			return known;
		}
		Database found = find(session.connection());
		return this.database.compareAndSet(null, found) ? found : Objects.requireNonNull(this.database.get());
	}

	private Database find(Connection connection) throws SQLException {
		Dialect dialect = Dialect.of(connection);
		if (dialect == null) {
			throw new SQLFeatureNotSupportedException(
					"Database '%s' is none of those that the JDBC lock engine knows: %s"
						.formatted(connection.getMetaData().getDatabaseProductName(), Dialect.products()),
					"0A000");
		}
		DataSource kept = this.connections.unpooled();
		String channel = this.settings.channel();
		WakeUps wakeUps = (kept != null && channel != null && dialect.listens()) ? new WakeUps(kept, channel) : null;
		return new Database(dialect, new LockTable(dialect, this.settings), wakeUps);
	}

	private RowId id(LockKey key) {
		return RowId.of(this.settings.namespace(), key);
	}

	private static Duration micros(long micros) {
		return Duration.of(Math.max(0, micros), ChronoUnit.MICROS);
	}

	@Override
	public void close() {
		this.closed = true;
		this.purger.close();
		Database known = this.database.get();
		if (known != null && known.wakeUps() != null) {
			known.wakeUps().close();
		}
		this.connections.close();
	}

	/** What is known once the database has answered. */
	private record Database(Dialect dialect, LockTable table, @Nullable WakeUps wakeUps) {
	}

	/** Something to do with the table in a session. */
	private interface Work<T extends @Nullable Object> {

		T run(Session session, LockTable table) throws SQLException;

	}

}
