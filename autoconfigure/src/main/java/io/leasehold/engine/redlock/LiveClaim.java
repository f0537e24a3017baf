package io.leasehold.engine.redlock;

import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.leasehold.engine.Claim;
import io.leasehold.engine.redis.connection.Line;
import io.leasehold.engine.redis.connection.RedisFailure;
import io.leasehold.engine.redis.connection.Replies;
import io.leasehold.engine.support.Deadlines;

/**
 * State of a claim in this process, from its first request to its end: which masters may
 * know it. Thread-safe.
 */
final class LiveClaim {

	private final String token;

	private final LockNames names;

	/** Masters that were sent a request. */
	private final Set<Master> reached = new HashSet<>();

	/** Last request to each master, if it has no response. */
	private final Map<Master, Request> inFlight = new HashMap<>();

	/** Masters that may still execute a request of a broken line. */
	private final Set<Master> stranded = new HashSet<>();

	private final Releases releases = new Releases();

	private final boolean unknown;

	private final Claim claim;

	/** Longest lease that was requested. */
	private Duration longestLease;

	private long round;

	/** Round in which the lock was granted, or -1. */
	private long grantRound = -1;

	private long granted;

	private int polls;

	/** Whether a request to end the claim was sent. */
	private boolean ends;

	private long over;

	/**
	 * Create the state of a claim.
	 * @param unknown whether the claim may have had requests before
	 */
	LiveClaim(Claim claim, String namespace, boolean unknown) {
		this.claim = claim;
		this.longestLease = claim.lease();
		this.token = claim.owner().token();
		this.names = LockNames.of(namespace, claim.key());
		this.unknown = unknown;
	}

	Claim claim() {
		return this.claim;
	}

	String token() {
		return this.token;
	}

	/** Return the key of the lock's record. */
	String lock() {
		return this.names.lock();
	}

	/** Return the releases of the lock since the last request of this claim. */
	Releases releases() {
		return this.releases;
	}

	String[] keys() {
		return this.names.of(this.token);
	}

	String[] keysWithForced() {
		return this.names.withForced(this.token);
	}

	/** Record that the grant is renewed, possibly for a longer lease. */
	synchronized void renewing(Duration lease) {
		if (lease.compareTo(this.longestLease) > 0) {
			this.longestLease = lease;
		}
	}

	/** Return how long the grant may last from now on if it is not released. */
	synchronized Duration lifetime() {
		Duration kept = this.longestLease.plus(this.claim.lockDelay());
		return (kept.compareTo(this.claim.minHold()) < 0) ? this.claim.minHold() : kept;
	}

	/**
	 * Begin or end a round of requests: those of earlier rounds that were not sent yet
	 * will not be sent.
	 * @return number of the round, or of the time after it; greater than all earlier ones
	 */
	synchronized long nextRound() {
		return ++this.round;
	}

	/**
	 * Send a request for the lock, unless its round has ended. Under the monitor, so that
	 * no end of the claim is sent before it.
	 */
	synchronized <T> CompletableFuture<T> send(Master master, Line line, long inRound,
			Supplier<CompletableFuture<T>> request) {
		if (this.round != inRound) {
			return CompletableFuture.failedFuture(RedisFailure.noResponse("connected too late", null));
		}
		this.reached.add(master);
		Request sent = new Request(line);
		Request before = this.inFlight.put(master, sent);
		if (before != null && before.line != line) {
			this.stranded.add(master);
		}
		return request.get().whenComplete((response, failure) -> {
			if (failure == null || Replies.failure(failure).hasNotRun()) {
				responded(master, sent);
			}
		});
	}

	/** Record a response. It proves nothing about later requests. */
	private synchronized void responded(Master master, Request request) {
		this.inFlight.remove(master, request);
	}

	/** Record that the lock was granted in a round. */
	synchronized void granted(long inRound) {
		this.grantRound = inRound;
		this.granted = System.nanoTime();
	}

	/** Return whether the lock was granted, and neither requested nor released since. */
	synchronized boolean isGranted() {
		return this.round == this.grantRound;
	}

	/** Return the round in which the lock was granted, or -1. */
	synchronized long grantRound() {
		return this.grantRound;
	}

	/** Return the time since the lock was granted. */
	synchronized Duration sinceGrant() {
		return Duration.ofNanos(System.nanoTime() - this.granted);
	}

	/**
	 * Send a request that removes the grants of an ended round, unless another one has
	 * begun.
	 * @param otherwise the response in that case
	 */
	synchronized <T> CompletableFuture<T> sendAfter(long endedRound, Supplier<CompletableFuture<T>> request,
			T otherwise) {
		return (this.round == endedRound) ? request.get() : CompletableFuture.completedFuture(otherwise);
	}

	/** Return whether a master may know the claim. */
	synchronized boolean mayBeKnownTo(Master master) {
		return this.unknown || this.reached.contains(master);
	}

	/** Return whether a request may be executed after those that the line sends now. */
	synchronized boolean mayArriveLate(Master master, Line line) {
		Request last = this.inFlight.get(master);
		return this.stranded.contains(master) || (last != null && last.line != line);
	}

	/** Return the number of the next poll, beginning at zero. */
	synchronized int poll() {
		return this.polls++;
	}

	/** Let the claim be over when its grants and late requests have expired. */
	synchronized void end(Duration lateRequests) {
		this.over = Deadlines.after(lifetime().plus(lateRequests));
		this.ends = true;
	}

	/** Return whether the grants and late requests of the claim have expired. */
	synchronized boolean isOver() {
		return this.ends && Deadlines.left(this.over) <= 0;
	}

	/** Request that was sent. Each is equal only to itself. */
	private static final class Request {

		private final Line line;

		Request(Line line) {
			this.line = line;
		}

	}

}
