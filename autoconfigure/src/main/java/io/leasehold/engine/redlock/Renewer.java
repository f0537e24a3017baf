package io.leasehold.engine.redlock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

import io.leasehold.engine.Claim;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.Renewal;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.engine.support.Actions;

/**
 * Renewal of many grants with one request to each master. A majority decides about each
 * grant. Thread-safe.
 *
 * @param masters the masters
 * @param settings settings of the engine
 * @param claims claims that have not ended
 * @param missing grants that some masters do not know
 * @param clock the clock that the service uses
 */
record Renewer(Masters masters, RedlockSettings settings, LiveClaims claims, MissingGrants missing,
		MonotonicClock clock) {

	/** Limit that keeps scripts short, so that they do not delay other requests. */
	private static final int LOCKS_PER_SCRIPT = 500;

	/**
	 * Extend grants.
	 * @param deadline reading of {@link System#nanoTime()} at which to stop waiting
	 * @return the outcomes in the same order
	 */
	List<RenewalOutcome> renew(List<Renewal> renewals, long deadline) {
		List<Chunk> chunks = new ArrayList<>();
		for (int from = 0; from < renewals.size(); from += LOCKS_PER_SCRIPT) {
			chunks.add(send(renewals.subList(from, Math.min(renewals.size(), from + LOCKS_PER_SCRIPT))));
		}
		List<RenewalOutcome> outcomes = new ArrayList<>(renewals.size());
		for (Chunk chunk : chunks) {
			chunk.ballot().await(deadline);
			outcomes.addAll(outcomes(chunk));
		}
		return outcomes;
	}

	private Chunk send(List<Renewal> renewals) {
		List<String> keys = new ArrayList<>(renewals.size());
		List<String> arguments = new ArrayList<>(4 * renewals.size());
		for (Renewal renewal : renewals) {
			Claim claim = renewal.claim();
			long grantRound = this.claims.renewing(renewal);
			keys.add(LockNames.of(this.settings.namespace(), claim.key()).lock());
			arguments.add(claim.owner().token());
			arguments.add(Long.toString(this.settings.lease(renewal.lease(), claim.lockDelay()).toMillis()));
			arguments.add(Long.toString(claim.lockDelay().toMillis()));
			arguments.add(Long.toString(grantRound));
		}
		long sent = this.clock.nanoTime();
		return new Chunk(renewals, sent, this.masters.ask(
				(master) -> master.send(Scripts.RENEW, keys.toArray(String[]::new), arguments.toArray(String[]::new)),
				(ballot) -> isDecided(ballot, renewals.size())));
	}

	private boolean isDecided(Ballot<List<Object>> ballot, int locks) {
		if (!this.masters.hasResponses(ballot)) {
			return false;
		}
		Collection<List<Object>> responses = ballot.responses();
		for (int i = 0; i < locks; i++) {
			int lock = i;
			long renewed = responses.stream().filter((response) -> isRenewed(response, lock)).count();
			if (renewed < this.masters.majority() && renewed + ballot.open() >= this.masters.majority()) {
				return false;
			}
		}
		return true;
	}

	private List<RenewalOutcome> outcomes(Chunk chunk) {
		Collection<List<Object>> responses = chunk.ballot().responses();
		int missing = this.masters.size() - responses.size();
		List<RenewalOutcome> outcomes = new ArrayList<>(chunk.renewals().size());
		for (int i = 0; i < chunk.renewals().size(); i++) {
			int lock = i;
			long renewed = responses.stream().filter((response) -> isRenewed(response, lock)).count();
			if (renewed >= this.masters.majority()) {
				Renewal renewal = chunk.renewals().get(i);
				Duration lease = this.settings.lease(renewal.lease(), renewal.claim().lockDelay());
				outcomes.add(new RenewalOutcome.Renewed(MonotonicClock.validUntil(chunk.sent(), lease)));
				if (renewed < responses.size()) {
					addWhereMissing(chunk, i);
				}
			}
			else if (renewed + missing < this.masters.majority()) {
				outcomes.add(new RenewalOutcome.NotOwner());
			}
			else {
				outcomes.add(new RenewalOutcome.Unknown(chunk.ballot()
					.failure(this.masters.size())
					.toEngineException("Redlock", Actions.renew(chunk.renewals()))));
			}
		}
		return outcomes;
	}

	private void addWhereMissing(Chunk chunk, int lock) {
		for (Master master : this.masters.all()) {
			List<Object> response = chunk.ballot().response(master);
			if (response != null && !isRenewed(response, lock)) {
				this.missing.add(chunk.renewals().get(lock), master);
			}
		}
	}

	private static boolean isRenewed(List<Object> response, int lock) {
		return (Long) response.get(lock) == 1;
	}

	/** Renewals in flight. */
	private record Chunk(List<Renewal> renewals, long sent, Ballot<List<Object>> ballot) {
	}

}
