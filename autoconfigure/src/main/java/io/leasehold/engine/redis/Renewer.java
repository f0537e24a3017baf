package io.leasehold.engine.redis;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

import io.leasehold.LockEngineException;
import io.leasehold.engine.Claim;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.Renewal;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.engine.redis.connection.Line;
import io.leasehold.engine.redis.connection.Lines;
import io.leasehold.engine.redis.connection.Node;
import io.leasehold.engine.redis.connection.RedisFailure;
import io.leasehold.engine.redis.connection.Replies;
import io.leasehold.engine.redis.connection.Script;
import io.leasehold.engine.redis.connection.Topology;
import io.leasehold.engine.support.Actions;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Renewal of many grants with one round trip per server. A server that missed a deadline
 * still receives requests. Until it responds, they are awaited only if all servers are
 * late, so the grants of other servers do not suffer.
 */
final class Renewer {

	private static final Log logger = LogFactory.getLog(Renewer.class);

	/** Limit that keeps scripts short, so that they do not delay other requests. */
	private static final int LOCKS_PER_SCRIPT = 500;

	private static final Node UNKNOWN = new Node("", 0);

	private final String namespace;

	private final Topology topology;

	private final Lines lines;

	/** Whether the server accepts only scripts for one lock. */
	private volatile boolean oneByOne;

	private final MonotonicClock clock;

	private final Set<Node> late = ConcurrentHashMap.newKeySet();

	Renewer(String namespace, Topology topology, Lines lines, MonotonicClock clock) {
		this.namespace = namespace;
		this.topology = topology;
		this.lines = lines;
		// A script with a single key, that of an exclusive grant, runs even while its
		// slot migrates
		this.oneByOne = topology.isCluster();
		this.clock = clock;
	}

	/**
	 * Extend grants.
	 * @return the outcomes in the same order
	 */
	List<RenewalOutcome> renew(List<Renewal> renewals, long deadline) {
		List<Chunk> chunks = new ArrayList<>();
		int locksPerScript = this.oneByOne ? 1 : LOCKS_PER_SCRIPT;
		for (int from = 0; from < renewals.size(); from += locksPerScript) {
			int to = Math.min(renewals.size(), from + locksPerScript);
			chunks.add(send(renewals.subList(from, to)));
		}
		await(chunks, deadline);
		List<RenewalOutcome> outcomes = new ArrayList<>(renewals.size());
		chunks.forEach((chunk) -> outcomes.addAll(outcomes(chunk)));
		return outcomes;
	}

	private void await(List<Chunk> chunks, long deadline) {
		List<Chunk> punctual = chunks.stream().filter((chunk) -> !this.late.contains(chunk.primary())).toList();
		CompletableFuture<?>[] awaited = (punctual.isEmpty() ? chunks : punctual).stream()
			.map(Chunk::outcomes)
			.toArray(CompletableFuture[]::new);
		try {
			Replies.await(CompletableFuture.allOf(awaited), deadline);
		}
		catch (RedisFailure ex) {
			// Each chunk reports its own outcome
		}
	}

	private List<RenewalOutcome> outcomes(Chunk chunk) {
		try {
			return Replies.await(chunk.outcomes(), System.nanoTime());
		}
		catch (RedisFailure ex) {
			if (!chunk.outcomes().isDone()) {
				this.late.add(chunk.primary());
				chunk.outcomes().whenComplete((outcomes, failure) -> this.late.remove(chunk.primary()));
			}
			LockEngineException failure = ex.toEngineException("Redis", Actions.renew(chunk.renewals()));
			return Collections.nCopies(chunk.renewals().size(), new RenewalOutcome.Unknown(failure));
		}
	}

	private Chunk send(List<Renewal> renewals) {
		Request request = Request.of(renewals, this.namespace);
		CompletableFuture<Node> primary = this.topology.primaryOf(request.keys()[0]);
		return new Chunk(renewals, primary,
				this.lines.to(request.keys()[0]).thenCompose((line) -> send(request, line, 1)));
	}

	private CompletableFuture<List<RenewalOutcome>> send(Request request, Line line, int attempt) {
		long sent = this.clock.nanoTime();
		return outcomes(request, sent, line.send(request.script(), request.keys(), request.arguments()),
				(failure) -> failure.is("NOSCRIPT") ? sendText(request, line)
						: sendAgain(request, line, attempt, failure));
	}

	private CompletableFuture<List<RenewalOutcome>> sendText(Request request, Line line) {
		long sent = this.clock.nanoTime();
		return outcomes(request, sent, line.sendText(request.script(), request.keys(), request.arguments()),
				(failure) -> sendAgain(request, line, Lines.MOST_ATTEMPTS, failure));
	}

	private static CompletableFuture<List<RenewalOutcome>> outcomes(Request request, long sent,
			CompletableFuture<Object> response,
			Function<RedisFailure, CompletableFuture<List<RenewalOutcome>>> otherwise) {
		return response
			.handle((responses, failure) -> (failure == null)
					? CompletableFuture.completedFuture(request.outcomes(responses, sent))
					: otherwise.apply(Replies.failure(failure)))
			.thenCompose((outcomes) -> outcomes);
	}

	private CompletableFuture<List<RenewalOutcome>> sendAgain(Request request, Line line, int attempt,
			RedisFailure failure) {
		if (request.renewals().size() > 1 && (failure.is("ERR") || failure.is("CROSSSLOT"))) {
			return sendOneByOne(request, line, failure);
		}
		CompletableFuture<Line> other = (attempt < Lines.MOST_ATTEMPTS)
				? this.lines.instead(request.keys()[0], failure, line) : null;
		return (other != null) ? other.thenCompose((next) -> send(request, next, attempt + 1))
				: CompletableFuture.failedFuture(failure);
	}

	/**
	 * Renew each lock by its own script. This is safe even if the server has run the
	 * script for all: a renewal can be repeated.
	 */
	private CompletableFuture<List<RenewalOutcome>> sendOneByOne(Request request, Line line, RedisFailure failure) {
		if (!this.oneByOne) {
			this.oneByOne = true;
			logger.info("Redis rejects a script for several locks (%s). From now on, each lock is renewed by its own"
				.formatted(failure.getMessage()));
		}
		List<CompletableFuture<List<RenewalOutcome>>> single = request.renewals()
			.stream()
			.map((renewal) -> send(Request.of(List.of(renewal), this.namespace), line, 1))
			.toList();
		return CompletableFuture.allOf(single.toArray(CompletableFuture[]::new))
			.thenApply((all) -> single.stream().flatMap((outcomes) -> outcomes.join().stream()).toList());
	}

	/** Renewals in flight. */
	private record Chunk(List<Renewal> renewals, CompletableFuture<Node> place,
			CompletableFuture<List<RenewalOutcome>> outcomes) {

		/** Return the server of the request, as far as is known. */
		Node primary() {
			return (this.place.isDone() && !this.place.isCompletedExceptionally()) ? this.place.join() : UNKNOWN;
		}

	}

	/** Request that is repeated at the server that a redirection names. */
	private record Request(List<Renewal> renewals, String[] keys, String[] arguments) {

		static Request of(List<Renewal> renewals, String namespace) {
			List<String> keys = new ArrayList<>(renewals.size());
			List<String> arguments = new ArrayList<>(2 * renewals.size());
			for (Renewal renewal : renewals) {
				Claim claim = renewal.claim();
				keys.addAll(RedisKeys.of(namespace, claim.key()).ofGrant(claim.access()));
				arguments.add(new Grant(renewal.number(), ClaimName.of(claim)).toString());
				arguments.add(Long.toString(renewal.lease().plus(claim.lockDelay()).toMillis()));
			}
			return new Request(renewals, keys.toArray(String[]::new), arguments.toArray(String[]::new));
		}

		Script<Object> script() {
			return (this.renewals.size() > 1) ? Scripts.RENEW_EACH : Scripts.RENEW;
		}

		/**
		 * Return the outcomes. A connection never repeats a request, so <em>not
		 * owner</em> is never the result of a replay.
		 */
		List<RenewalOutcome> outcomes(Object response, long sent) {
			List<?> responses = (response instanceof List<?> list) ? list : List.of(response);
			List<RenewalOutcome> outcomes = new ArrayList<>(responses.size());
			for (int i = 0; i < responses.size(); i++) {
				outcomes.add(((Long) responses.get(i) == 1)
						? new RenewalOutcome.Renewed(MonotonicClock.validUntil(sent, this.renewals.get(i).lease()))
						: new RenewalOutcome.NotOwner());
			}
			return outcomes;
		}

	}

}
