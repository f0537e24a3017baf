package io.leasehold.engine.jdbc;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.leasehold.engine.Access;
import io.leasehold.engine.Claim;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.Renewal;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.engine.jdbc.RenewalBatch.Entry;
import io.leasehold.engine.support.Actions;
import io.leasehold.engine.support.StartedThreads;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Renewal of grants in batches, two of them concurrently. A failed batch does not affect
 * the others, nor a locked row the others of its batch. Thread-safe.
 */
final class Renewer implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(Renewer.class);

	private static final int MOST = 256;

	private static final Comparator<Kind> KINDS = Comparator.comparing(Kind::lease)
		.thenComparing(Kind::exclusive)
		.thenComparing(Kind::lingers);

	private final LockDatabase database;

	private final MonotonicClock clock;

	private final ExecutorService helper = StartedThreads.of("leasehold-jdbc-renewal-", Lanes.RENEWALS - 1);

	Renewer(LockDatabase database, MonotonicClock clock) {
		this.database = database;
		this.clock = clock;
	}

	/** Renew grants, and return the outcomes in the same order. */
	List<RenewalOutcome> renew(List<Renewal> renewals) {
		Map<String, CompletableFuture<RenewalOutcome>> outcomes = new LinkedHashMap<>();
		renewals.forEach((renewal) -> outcomes.put(renewal.claim().owner().token(), new CompletableFuture<>()));
		Queue<RenewalBatch> batches = new ConcurrentLinkedQueue<>(batches(renewals));
		Runnable renew = () -> {
			for (RenewalBatch batch = batches.poll(); batch != null; batch = batches.poll()) {
				renew(batch).forEach((owner, outcome) -> Objects.requireNonNull(outcomes.get(owner)).complete(outcome));
			}
		};
		if (batches.size() > 1) {
			this.helper.execute(renew);
		}
		renew.run();
		return outcomes.values().stream().map(CompletableFuture::join).toList();
	}

	/** Return batches that the same statements can renew, the shortest leases first. */
	private List<RenewalBatch> batches(List<Renewal> renewals) {
		// In the order of the rows, so that two batches cannot deadlock
		Map<Kind, List<Entry>> kinds = renewals.stream()
			.map((renewal) -> new Entry(this.database.id(renewal.claim().key()), renewal))
			.sorted(Comparator.comparing(Entry::id))
			.collect(Collectors.groupingBy((entry) -> Kind.of(entry.renewal()), () -> new TreeMap<>(KINDS),
					Collectors.toList()));
		List<RenewalBatch> batches = new ArrayList<>();
		for (List<Entry> entries : kinds.values()) {
			for (int from = 0; from < entries.size(); from += MOST) {
				batches.add(new RenewalBatch(entries.subList(from, Math.min(from + MOST, entries.size()))));
			}
		}
		return batches;
	}

	/** Renew a batch, and return the outcomes by claim token. */
	private Map<String, RenewalOutcome> renew(RenewalBatch batch) {
		try {
			return renewAll(batch);
		}
		catch (RuntimeException ex) {
			Map<String, RenewalOutcome> outcomes = unknown(batch, ex);
			if (batch.size() > 1 && Failures.isUndone(ex)) {
				outcomes.putAll(renewUnlocked(batch));
			}
			return outcomes;
		}
		catch (Error ex) {
			return unknown(batch, new IllegalStateException(ex));
		}
	}

	/** Renew the rows of a batch that no other session has locked. */
	private Map<String, RenewalOutcome> renewUnlocked(RenewalBatch batch) {
		try {
			Set<RowId> unlocked = this.database.call(CallKind.RENEW, "find unlocked rows", null,
					(session, tables) -> tables.rows().unlocked(session, batch.rows()));
			return unlocked.isEmpty() ? Map.of() : renewAll(batch.of(unlocked));
		}
		catch (RuntimeException | Error ex) {
			logger.debug("Could not renew the rows that are not locked", ex);
			return Map.of();
		}
	}

	private Map<String, RenewalOutcome> renewAll(RenewalBatch batch) {
		return this.database.call(CallKind.RENEW, Actions.renew(batch.renewals()), null, (session, tables) -> {
			long sent = this.clock.nanoTime();
			Set<String> owners = tables.grants(batch.claim()).renew(session, batch);
			RenewalOutcome renewed = new RenewalOutcome.Renewed(MonotonicClock.validUntil(sent, batch.lease()));
			return outcomes(batch, (owner) -> owners.contains(owner) ? renewed : new RenewalOutcome.NotOwner());
		});
	}

	private static Map<String, RenewalOutcome> unknown(RenewalBatch batch, RuntimeException failure) {
		return outcomes(batch, (owner) -> new RenewalOutcome.Unknown(failure));
	}

	private static Map<String, RenewalOutcome> outcomes(RenewalBatch batch, Function<String, RenewalOutcome> outcome) {
		return batch.owners().stream().collect(Collectors.toMap(Function.identity(), outcome));
	}

	@Override
	public void close() {
		this.helper.shutdown();
	}

	/** Properties that the grants of a batch have in common. */
	private record Kind(boolean exclusive, boolean lingers, Duration lease) {

		static Kind of(Renewal renewal) {
			Claim claim = renewal.claim();
			return new Kind(claim.access().equals(Access.EXCLUSIVE), claim.lingers(), renewal.lease());
		}

	}

}
