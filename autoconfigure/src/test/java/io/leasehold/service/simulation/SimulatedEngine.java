package io.leasehold.service.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Capability;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Holder;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.Owner;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.Renewal;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.engine.RevocationListener;
import io.leasehold.engine.Signal;
import io.leasehold.engine.Subscription;

/**
 * The engine of one process: sends requests over the process's link, and computes the
 * validity of grants as engines of remote stores do, from before the request was sent. It
 * also checks what the service requests.
 */
final class SimulatedEngine implements LockEngine {

	private final World world;

	private final SimulatedProcess process;

	private final Map<Owner, LiveClaim> claims = new LinkedHashMap<>();

	/** Maximum time between two requests of a waiting claim. */
	private final Duration longestPoll;

	private RevocationListener listener;

	SimulatedEngine(World world, SimulatedProcess process) {
		this.world = world;
		this.process = process;
		this.longestPoll = Duration.ofMillis(world.contends ? world.dice.pick(5L, 20L, 2000L) : 2000L);
	}

	@Override
	public String name() {
		return "store";
	}

	@Override
	public Set<Capability> capabilities() {
		return this.world.capabilities;
	}

	@Override
	public Duration minLease() {
		return this.world.store.minLease();
	}

	@Override
	public AcquisitionOutcome tryAcquire(Claim claim) {
		LiveClaim live = live(claim);
		note("-> acquire %s", live);
		require(!live.ended, "A claim is requested after its release was confirmed: %s", live);
		require(!live.acquiring, "A claim has two requests in flight: %s", live);
		require(!live.settled, "A claim is requested again after it was granted, or without waiting: %s", live);
		boolean mayRemain = live.mayRemain;
		live.mayRemain = true;
		live.acquiring = true;
		long sent = this.process.clock.nanoTime();
		try {
			Answer response = call(claim.key(), () -> acquireAtStore(claim, live));
			AcquisitionOutcome attempt = translate(response, live, sent);
			live.mayRemain = claim.waits() || attempt instanceof AcquisitionOutcome.Granted || mayRemain;
			live.settled = !(claim.waits() && attempt instanceof AcquisitionOutcome.Busy);
			note("<- %s: %s", live, attempt);
			return attempt;
		}
		finally {
			live.settled |= !claim.waits();
			live.acquiring = false;
		}
	}

	private Answer acquireAtStore(Claim claim, LiveClaim live) {
		AcquisitionOutcome attempt = this.world.store.tryAcquire(claim);
		this.world.noteAtStore("acquire", live, attempt);
		if (attempt instanceof AcquisitionOutcome.Granted granted) {
			grantedAtStore(live, granted);
		}
		else if (claim.waits()) {
			this.world.store.subscribe(claim, (signal) -> signalAtStore(live, signal));
		}
		return new Answer(attempt, this.world.lastGrant());
	}

	private void signalAtStore(LiveClaim live, Signal signal) {
		this.world.noteAtStore("signal", live, signal);
		if (signal instanceof Signal.Pushed pushed) {
			grantedAtStore(live, pushed.grant());
			this.world.faults.pushed(this.process, live.claim.key());
		}
		this.process.link.signal(() -> signalled(live, signal));
	}

	private void grantedAtStore(LiveClaim live, AcquisitionOutcome.Granted grant) {
		this.world.granted(grant);
		live.granted.add(grant.number());
	}

	private AcquisitionOutcome translate(Answer response, LiveClaim live, long sent) {
		if (response.attempt() instanceof AcquisitionOutcome.Granted granted) {
			AcquisitionOutcome.Granted translated = granted(live, granted.number(), sent);
			return new AcquisitionOutcome.Granted(translated.number(), translated.validUntil(), granted.reserved());
		}
		if (response.attempt() instanceof AcquisitionOutcome.Busy busy) {
			live.busySince = sent;
			live.seen = response.lastGrant();
			return (busy.retryIn().compareTo(this.longestPoll) > 0)
					? new AcquisitionOutcome.Busy(this.longestPoll, busy.recalled()) : busy;
		}
		return response.attempt();
	}

	private AcquisitionOutcome.Granted granted(LiveClaim live, long number, long since) {
		long validUntil = MonotonicClock.validUntil(since, live.claim.lease());
		// The service ignores responses after the grant that it took. Before, a second
		// response changes nothing, unless the first one came too late
		boolean taken = live.over && live.grant != 0;
		if (!taken && (live.grant != number || live.grantedLate)) {
			live.grant = number;
			live.half = since + (validUntil - since) / 2;
			live.validUntil = validUntil;
			live.grantedLate = this.process.clock.nanoTime() - validUntil >= 0;
		}
		return new AcquisitionOutcome.Granted(number, validUntil);
	}

	/**
	 * Pass a signal on to the claim. One that comes before the claim listens is kept, and
	 * judged when it does: the response that lets the claim listen may be newer.
	 */
	private void signalled(LiveClaim live, Signal signal) {
		if (signal instanceof Signal.Pushed outdated && outdated.grant().number() <= live.seen) {
			return;
		}
		if (live.listener == null) {
			live.early = live.over ? null : signal;
			return;
		}
		Signal received = (signal instanceof Signal.Pushed pushed) ? pushed(live, pushed.grant().number()) : signal;
		note("<- %s: signal %s", live, received);
		if (received instanceof Signal.Pushed) {
			this.world.figures.pushes++;
		}
		live.listener.accept(received);
	}

	/**
	 * The grant is newer than the last request that the store answered as busy. If that
	 * was long ago, another request has to confirm the grant.
	 */
	private Signal pushed(LiveClaim live, long number) {
		Duration lease = live.claim.lease();
		long left = MonotonicClock.validUntil(live.busySince, lease) - this.process.clock.nanoTime();
		return (left < lease.toNanos() / 2) ? new Signal.Retry()
				: new Signal.Pushed(granted(live, number, live.busySince));
	}

	@Override
	public Subscription subscribe(Claim claim, Consumer<Signal> listener) {
		LiveClaim live = live(claim);
		live.listener = listener;
		Signal early = live.early;
		live.early = null;
		if (early != null) {
			signalled(live, early);
		}
		return () -> {
			live.listener = null;
			live.over = true;
		};
	}

	@Override
	public void reportRevocations(RevocationListener listener) {
		this.listener = listener;
	}

	@Override
	public boolean receivesRecalls() {
		return this.process.link.isConnected();
	}

	/** Send the recall of a claim to this process, if it is one of its claims. */
	void recalledAtStore(Claim claim) {
		LiveClaim live = this.claims.get(claim.owner());
		if (live != null) {
			this.world.noteAtStore("recall", live, "sent");
			this.process.link.signal(() -> {
				note("<- %s: recall", live);
				this.process.report(() -> this.listener.recalled(live.claim),
						() -> this.world.lingering.recalled(this.process, live));
			});
		}
	}

	/** Send the revocation of a grant to this process, if it is one of its grants. */
	void revokedAtStore(long grant) {
		this.claims.values().stream().filter((live) -> live.granted.contains(grant)).forEach((live) -> {
			this.world.noteAtStore("revocation", live, "sent");
			this.process.link.signal(() -> {
				note("<- %s: revocation", live);
				this.world.figures.revocations++;
				this.process.report(() -> this.listener.revoked(grant, (claim) -> claim.owner() == live.claim.owner()),
						() -> this.world.lingering.revoked(this.process, grant));
			});
		});
	}

	/** Let all waiting claims retry, because signals may have been lost. */
	void resubscribed() {
		for (LiveClaim live : new ArrayList<>(this.claims.values())) {
			if (live.listener != null) {
				live.listener.accept(new Signal.Retry());
			}
		}
	}

	@Override
	public List<RenewalOutcome> renew(List<Renewal> renewals) {
		List<LiveClaim> lives = renewals.stream().map((renewal) -> live(renewal.claim())).toList();
		note("-> renew %s", lives);
		lives.forEach((live) -> require(!live.ended, "A claim is renewed after its release was confirmed: %s", live));
		long sent = this.process.clock.nanoTime();
		try {
			List<RenewalOutcome> responses = call(renewals.get(0).claim().key(), () -> {
				List<RenewalOutcome> outcomes = this.world.store.renew(renewals);
				this.world.noteAtStore("renew", lives, outcomes);
				return outcomes;
			});
			List<RenewalOutcome> outcomes = new ArrayList<>();
			for (int i = 0; i < responses.size(); i++) {
				outcomes.add(renewed(lives.get(i), renewals.get(i), responses.get(i), sent));
			}
			return outcomes;
		}
		catch (LockEngineException ex) {
			this.world.figures.failedRenewals++;
			return renewals.stream().<RenewalOutcome>map((renewal) -> new RenewalOutcome.Unknown(ex)).toList();
		}
	}

	private RenewalOutcome renewed(LiveClaim live, Renewal renewal, RenewalOutcome outcome, long sent) {
		if (outcome instanceof RenewalOutcome.Renewed) {
			long validUntil = MonotonicClock.validUntil(sent, renewal.lease());
			live.extend(validUntil, this.process.clock.nanoTime());
			return new RenewalOutcome.Renewed(validUntil);
		}
		live.lost |= outcome instanceof RenewalOutcome.NotOwner;
		return outcome;
	}

	@Override
	public ReleaseOutcome release(Claim claim) {
		LiveClaim live = live(claim);
		note("-> release %s", live);
		require(!live.acquiring, "A claim is released while a request for it is in flight: %s", live);
		this.world.promises.requireUnused(live.grant, live);
		boolean repeated = live.releaseFailed;
		live.releaseFailed = true;
		ReleaseOutcome outcome = call(claim.key(), () -> {
			ReleaseOutcome response = this.world.store.release(claim);
			this.world.noteAtStore("release", live, response);
			return response;
		});
		live.ended = true;
		live.lost |= outcome instanceof ReleaseOutcome.NotOwner && !repeated;
		return outcome;
	}

	@Override
	public List<Holder> inspect(LockKey key) {
		return this.world.store.inspect(key);
	}

	@Override
	public List<Holder> forceRelease(LockKey key) {
		note("-> release '%s' by force", key);
		List<Holder> released = call(key, () -> {
			List<Holder> holders = this.world.store.forceRelease(key);
			holders.forEach(this.world.promises::forced);
			this.world.noteAtStore("release by force", key, holders.size());
			return holders;
		});
		if (this.world.revokes && !released.isEmpty()) {
			note("-> revoke %d grants of '%s'", released.size(), key);
			this.process.link.send(() -> {
				released.forEach((holder) -> this.world.reports.revoked(holder.number(), (claim) -> true));
				return released;
			});
		}
		return released;
	}

	private <T> T call(LockKey key, Supplier<T> execution) {
		if (this.process.isDead()) {
			throw new LockEngineException(key, "The process is dead", null);
		}
		Link.Request<T> request = this.process.link.send(execution);
		this.process.await(request);
		this.process.processed(request.ended);
		if (request.response == null) {
			note("<- failure: %s", request.failure);
			throw new LockEngineException(key, "Request failed: " + request.failure, null);
		}
		return request.response;
	}

	/** Return what is known of the claim with a grant, {@code null} if there is none. */
	LiveClaim claimOf(long grant) {
		return this.claims.values().stream().filter((live) -> live.grant == grant).findFirst().orElse(null);
	}

	/** Return a claim that still listens to the store, {@code null} if none does. */
	LiveClaim listening() {
		return this.claims.values().stream().filter((live) -> live.listener != null).findFirst().orElse(null);
	}

	/** Return a claim that was not released, {@code null} if there is none. */
	LiveClaim unreleased() {
		return this.claims.values()
			.stream()
			.filter((live) -> live.mayRemain && !live.ended && !isProbe(live))
			.findFirst()
			.orElse(null);
	}

	/** One attempt releases the claim of a test of the store; its lease does the rest. */
	private static boolean isProbe(LiveClaim live) {
		return live.claim.key().value().startsWith("leasehold:health:");
	}

	private LiveClaim live(Claim claim) {
		return this.claims.computeIfAbsent(claim.owner(), (owner) -> new LiveClaim(claim, ++this.world.claims));
	}

	private void require(boolean condition, String otherwise, LiveClaim live) {
		if (!condition && !this.process.isDead()) {
			this.world.scheduler.violated(otherwise.formatted(live));
		}
	}

	private void note(String format, Object... arguments) {
		this.process.note(format, arguments);
	}

	/**
	 * Response of the store to a claim.
	 *
	 * @param attempt the response
	 * @param lastGrant number of the store's last grant, which identifies older signals
	 */
	private record Answer(AcquisitionOutcome attempt, long lastGrant) {
	}

}
