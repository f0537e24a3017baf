package io.leasehold.engine.redlock;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Predicate;

import io.leasehold.engine.redis.connection.RedisFailure;
import io.leasehold.engine.redis.connection.Replies;
import io.leasehold.engine.redis.connection.Script;

/**
 * All masters of an engine.
 *
 * @param all the masters, an odd number
 */
record Masters(List<Master> all) {

	int size() {
		return this.all.size();
	}

	int majority() {
		return this.all.size() / 2 + 1;
	}

	/**
	 * Check that the masters that are available are independent.
	 * @param deadline reading of {@link System#nanoTime()} at which to stop waiting
	 * @throws IllegalStateException if a server is not an independent master, or two
	 * addresses lead to the same server
	 */
	void check(long deadline) {
		this.all.stream().map((master) -> Map.entry(master, master.query())).toList().forEach((query) -> {
			try {
				Replies.await(query.getValue(), deadline);
			}
			catch (RedisFailure ex) {
				if (ex.isUnsuitable()) {
					throw new IllegalStateException("%s cannot be used: %s".formatted(query.getKey(), ex.getMessage()),
							ex);
				}
			}
		});
	}

	/** Send a request to all masters, and return as soon as a decision is reached. */
	<T> Ballot<T> ask(Function<Master, CompletableFuture<T>> request, Predicate<Ballot<T>> decision) {
		return Ballot.hold(this.all, request, decision);
	}

	/**
	 * Run a script everywhere. Enough are the responses of a majority and of all masters
	 * that usually respond in time.
	 * @param deadline reading of {@link System#nanoTime()} at which to stop waiting
	 * @return the responses of a majority at least
	 * @throws RedisFailure if no majority responded
	 */
	<T> Ballot<T> run(Script<T> script, String[] keys, String[] arguments, long deadline) {
		return requireMajority(
				ask((master) -> master.send(script, keys, arguments), this::hasResponses).await(deadline));
	}

	/** Return whether a majority and all masters that usually respond have responded. */
	boolean hasResponses(Ballot<?> ballot) {
		return ballot.isComplete() && ballot.size() >= majority();
	}

	<T> Ballot<T> requireMajority(Ballot<T> ballot) {
		if (ballot.size() < majority()) {
			throw ballot.failure(size());
		}
		return ballot;
	}

	/** Return the addresses. */
	@Override
	public String toString() {
		return this.all.toString();
	}

}
