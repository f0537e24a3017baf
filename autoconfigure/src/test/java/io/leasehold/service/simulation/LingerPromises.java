package io.leasehold.service.simulation;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

import io.leasehold.service.SimulatedService;

/**
 * What the service promises about grants that linger, or that operators release by force.
 * A process that missed a report may enter a parked grant until half of its validity has
 * passed.
 */
final class LingerPromises {

	private final World world;

	/**
	 * When a process noticed that its grant must not linger, by the clock of the process.
	 */
	private final Map<Known, Long> unwanted = new HashMap<>();

	/** What processes know of grants that operators released by force. */
	private final Set<Known> revoked = new HashSet<>();

	LingerPromises(World world) {
		this.world = world;
	}

	/** Note that a process has processed the recall of a claim's grant. */
	void recalled(SimulatedProcess process, LiveClaim live) {
		live.granted.forEach((grant) -> unwanted(new Known(process, grant)));
	}

	/** Note that a process has processed the forced release of a grant. */
	void revoked(SimulatedProcess process, long grant) {
		this.world.promises.requireLost(process, grant);
		Known known = new Known(process, grant);
		this.revoked.add(known);
		unwanted(known);
	}

	private void unwanted(Known known) {
		this.unwanted.putIfAbsent(known, known.process.clock.nanoTime());
		require(!known.isParked(), "%s is parked after its recall or revocation", known);
	}

	/** Note that a process has begun to shut down. */
	void stops(SimulatedProcess process) {
		require(process.locks.parked().isEmpty(), "%s parks a grant while it shuts down", process);
	}

	/** Check the grant of a lock that was acquired. */
	void opened(Caller caller) {
		Known grant = grantOf(caller);
		require(!this.revoked.contains(grant), "%s has a lock whose revocation was reported before", caller);
		if (SimulatedService.entersParked(caller.lock())) {
			long since = SimulatedService.since(caller.lock());
			require(since - claimOf(caller).half < 0, "%s entered a grant after half of its validity", caller);
			require(since - this.unwanted.getOrDefault(grant, since) <= 0, "%s entered a grant after its recall",
					caller);
		}
	}

	/** Check the grant of a lock that was closed. */
	void closed(Caller caller) {
		Known grant = grantOf(caller);
		if (caller.process.isStopping() || this.unwanted.containsKey(grant)) {
			require(!grant.isParked(), "%s parked a grant after its recall or during the shutdown", caller);
		}
	}

	/** Check the grant of a lock that was closed without a request. */
	void closedAtOnce(Caller caller) {
		if (caller.now() - claimOf(caller).half >= 0) {
			require(!grantOf(caller).isParked(), "%s parked a grant after half of its validity", caller);
		}
	}

	private static LiveClaim claimOf(Caller caller) {
		return caller.process.engine.claimOf(SimulatedService.grantNumber(caller.token()));
	}

	private static Known grantOf(Caller caller) {
		return new Known(caller.process, SimulatedService.grantNumber(caller.token()));
	}

	private void require(boolean condition, String otherwise, Object subject) {
		this.world.promises.require(condition, otherwise, subject);
	}

	/** What a process knows: another process may learn of the same grant later. */
	private record Known(SimulatedProcess process, long grant) {

		boolean isParked() {
			return this.process.locks.parked().contains(this.grant);
		}

		@Override
		public String toString() {
			return "A grant of " + this.process;
		}

	}

}
