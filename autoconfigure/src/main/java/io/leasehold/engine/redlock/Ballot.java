package io.leasehold.engine.redlock;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Predicate;

import io.leasehold.engine.redis.connection.RedisFailure;
import io.leasehold.engine.redis.connection.Replies;
import io.leasehold.engine.support.Deadlines;
import org.jspecify.annotations.Nullable;

/**
 * One request to all masters at the same time, and their responses. It is decided as soon
 * as the responses suffice. Masters that were late before are awaited only if the
 * responses of the others do not suffice. Thread-safe.
 *
 * @param <T> type of the response
 */
final class Ballot<T> {

	private final Map<Master, T> responses = new LinkedHashMap<>();

	private final Map<Master, RedisFailure> failures = new LinkedHashMap<>();

	private final Set<Master> pending;

	private final Set<Master> awaited = new HashSet<>();

	private final Predicate<Ballot<T>> decision;

	private final CompletableFuture<Boolean> decided = new CompletableFuture<>();

	private Ballot(List<Master> masters, Predicate<Ballot<T>> decision) {
		this.pending = new HashSet<>(masters);
		this.decision = decision;
		masters.stream().filter((master) -> !master.isLate()).forEach(this.awaited::add);
	}

	/**
	 * Send a request to all masters.
	 * @param decision whether the responses suffice; called under the monitor, after each
	 * response
	 */
	static <T> Ballot<T> hold(List<Master> masters, Function<Master, CompletableFuture<T>> request,
			Predicate<Ballot<T>> decision) {
		Ballot<T> ballot = new Ballot<>(masters, decision);
		for (Master master : masters) {
			request.apply(master).whenComplete((response, failure) -> ballot.record(master, response, failure));
		}
		return ballot;
	}

	private synchronized void record(Master master, T response, @Nullable Throwable failure) {
		this.pending.remove(master);
		this.awaited.remove(master);
		if (failure != null) {
			this.failures.put(master, Replies.failure(failure));
		}
		else {
			this.responses.put(master, response);
		}
		if (this.pending.isEmpty() || this.decision.test(this)) {
			this.decided.complete(true);
		}
	}

	/**
	 * Wait until the ballot is decided. Masters that did not respond until the deadline
	 * are late from then on.
	 * @param deadline reading of {@link System#nanoTime()} at which to stop waiting
	 */
	Ballot<T> await(long deadline) {
		boolean inTime = Deadlines.left(deadline) > 0;
		try {
			Replies.await(this.decided, deadline);
		}
		catch (RedisFailure ex) {
			if (inTime) {
				pending().forEach(Master::isLateNow);
			}
		}
		return this;
	}

	private synchronized List<Master> pending() {
		return List.copyOf(this.pending);
	}

	/** Return whether all masters that usually respond in time have responded. */
	synchronized boolean isComplete() {
		return this.awaited.isEmpty();
	}

	synchronized int size() {
		return this.responses.size();
	}

	synchronized int open() {
		return this.pending.size();
	}

	synchronized Collection<T> responses() {
		return new ArrayList<>(this.responses.values());
	}

	synchronized @Nullable T response(Master master) {
		return this.responses.get(master);
	}

	/** Return a failure that names the masters without a response. */
	synchronized RedisFailure failure(int masters) {
		List<String> reasons = new ArrayList<>();
		this.failures.forEach((master, failure) -> reasons.add(master + ": " + failure.getMessage()));
		this.pending.forEach((master) -> reasons.add(master + ": no response in time"));
		return RedisFailure.ofSeveral("only %s of %s masters responded and count (%s)".formatted(this.responses.size(),
				masters, String.join("; ", reasons)), this.failures.values(), masters - masters / 2);
	}

}
