package io.leasehold.engine.jdbc;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.leasehold.engine.Access;
import io.leasehold.engine.Claim;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.Renewal;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.engine.support.Actions;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/**
 * Renewal of grants in batches, two of them concurrently. A failed batch does not affect
 * the others, nor a locked row the others of its batch. Thread-safe.
 */
final class Renewer implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(Renewer.class);

	private static final int MOST = 256;

	private final LockDatabase database;

	private final MonotonicClock clock;

	private final String namespace;

	private final ThreadPoolExecutor helper;

	Renewer(LockDatabase database, MonotonicClock clock, String namespace) {
		this.database = database;
		this.clock = clock;
		this.namespace = namespace;
		CustomizableThreadFactory threads = new CustomizableThreadFactory("leasehold-jdbc-renewal-");
		threads.setDaemon(true);
		this.helper = new ThreadPoolExecutor(Lanes.RENEWALS - 1, Lanes.RENEWALS - 1, 10, TimeUnit.SECONDS,
				new LinkedBlockingQueue<>(), threads);
		this.helper.allowCoreThreadTimeOut(true);
	}

	/** Renew grants, and return the outcomes in the same order. */
	List<RenewalOutcome> renew(List<Renewal> renewals) {
		List<Part> parts = parts(renewals);
		Queue<Part> waiting = new ConcurrentLinkedQueue<>(parts);
		if (parts.size() > 1) {
			letHelp(waiting);
		}
		renewAll(waiting);
		RenewalOutcome[] outcomes = new RenewalOutcome[renewals.size()];
		for (Part part : parts) {
			List<RenewalOutcome> responses = part.responses().join();
			for (int i = 0; i < responses.size(); i++) {
				outcomes[part.indexes().get(i)] = responses.get(i);
			}
		}
		return Arrays.asList(outcomes);
	}

	/** Return batches that the same statements can renew, the shortest leases first. */
	private List<Part> parts(List<Renewal> renewals) {
		List<RowId> ids = renewals.stream().map((renewal) -> RowId.of(this.namespace, renewal.claim().key())).toList();
		Map<Kind, List<Integer>> kinds = new TreeMap<>(
				Comparator.comparing(Kind::lease).thenComparing(Kind::exclusive).thenComparing(Kind::lingers));
		// In the order of the rows, so that two batches cannot deadlock
		IntStream.range(0, renewals.size())
			.boxed()
			.sorted(Comparator.comparing(ids::get))
			.forEach((i) -> kinds.computeIfAbsent(Kind.of(renewals.get(i)), (kind) -> new ArrayList<>()).add(i));
		List<Part> parts = new ArrayList<>();
		for (List<Integer> indexes : kinds.values()) {
			for (int from = 0; from < indexes.size(); from += MOST) {
				List<Integer> some = indexes.subList(from, Math.min(from + MOST, indexes.size()));
				parts.add(new Part(some, new RenewalBatch(some.stream().map(ids::get).toList(),
						some.stream().map(renewals::get).toList()), new CompletableFuture<>()));
			}
		}
		return parts;
	}

	private void letHelp(Queue<Part> waiting) {
		try {
			this.helper.execute(() -> renewAll(waiting));
		}
		catch (RejectedExecutionException | OutOfMemoryError ex) {
			logger.debug("No thread is available to renew concurrently", ex);
		}
	}

	private void renewAll(Queue<Part> waiting) {
		for (Part part = waiting.poll(); part != null; part = waiting.poll()) {
			try {
				part.responses().complete(renew(part.batch()));
			}
			catch (Error ex) {
				part.responses().complete(unknown(part.batch().size(), new IllegalStateException(ex)));
			}
		}
	}

	@Override
	public void close() {
		this.helper.shutdown();
	}

	private List<RenewalOutcome> renew(RenewalBatch batch) {
		try {
			return renewAll(batch);
		}
		catch (RuntimeException ex) {
			return (batch.size() > 1 && Failures.isUndone(ex)) ? renewUnlocked(batch, ex) : unknown(batch.size(), ex);
		}
	}

	/** Renew the rows of a batch that no other session has locked. */
	private List<RenewalOutcome> renewUnlocked(RenewalBatch batch, RuntimeException failure) {
		try {
			Set<RowId> unlocked = this.database.call(CallKind.RENEW, "find unlocked rows", null,
					(session, tables) -> tables.rows().unlocked(session, batch.rows()));
			if (unlocked.isEmpty()) {
				return unknown(batch.size(), failure);
			}
			RenewalBatch rest = batch.of(unlocked);
			Iterator<RenewalOutcome> responses = renewAll(rest).iterator();
			return batch.ids()
				.stream()
				.<RenewalOutcome>map(
						(id) -> unlocked.contains(id) ? responses.next() : new RenewalOutcome.Unknown(failure))
				.toList();
		}
		catch (RuntimeException ex) {
			return unknown(batch.size(), ex);
		}
	}

	private static List<RenewalOutcome> unknown(int count, RuntimeException failure) {
		return Collections.nCopies(count, (RenewalOutcome) new RenewalOutcome.Unknown(failure));
	}

	private List<RenewalOutcome> renewAll(RenewalBatch batch) {
		return this.database.call(CallKind.RENEW, Actions.renew(batch.renewals()), null, (session, tables) -> {
			long sent = this.clock.nanoTime();
			Set<String> owners = tables.grants(batch.claim()).renew(session, batch);
			RenewalOutcome renewed = new RenewalOutcome.Renewed(MonotonicClock.validUntil(sent, batch.lease()));
			return batch.renewals()
				.stream()
				.map((renewal) -> owners.contains(renewal.claim().owner().token()) ? renewed
						: new RenewalOutcome.NotOwner())
				.toList();
		});
	}

	/** Properties that the grants of a batch have in common. */
	private record Kind(boolean exclusive, boolean lingers, Duration lease) {

		static Kind of(Renewal renewal) {
			Claim claim = renewal.claim();
			return new Kind(claim.access().equals(Access.EXCLUSIVE), claim.lingers(), renewal.lease());
		}

	}

	/**
	 * Batch and its outcomes.
	 *
	 * @param batch the renewals
	 * @param responses the outcomes
	 */
	private record Part(List<Integer> indexes, RenewalBatch batch, CompletableFuture<List<RenewalOutcome>> responses) {
	}

}
