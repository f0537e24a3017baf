package io.leasehold.service.simulation;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.leasehold.LockOptions;
import io.leasehold.LossCause;
import io.leasehold.engine.Holder;
import io.leasehold.service.SimulatedService;

/**
 * What the service promises, checked after each event.
 */
final class Promises {

	private final World world;

	/** The locks that callers have and have not closed. */
	private final Map<String, List<Caller>> open = new LinkedHashMap<>();

	/** Greatest token of a lock that has ended. */
	private final Map<String, Long> endedTokens = new LinkedHashMap<>();

	/** Greatest token of an exclusive key. */
	private final Map<String, Long> tokens = new LinkedHashMap<>();

	/** Tokens of locks whose result was cancelled. */
	private final Set<Long> cancelled = new HashSet<>();

	/**
	 * Grants that an operator ended, and the end of their leases by the store's clock.
	 */
	private final Map<Long, Long> forced = new LinkedHashMap<>();

	Promises(World world) {
		this.world = world;
	}

	/** Check that no two callers believe in locks that exclude each other. */
	void check() {
		this.open.values().forEach((callers) -> {
			if (callers.size() > 1) {
				checkExclusion(callers);
			}
		});
	}

	private void checkExclusion(List<Caller> callers) {
		Caller first = null;
		int holders = 0;
		for (int i = 0; i < callers.size(); i++) {
			Caller caller = callers.get(i);
			if (believes(caller) && isFirstOfHold(callers, i)) {
				first = (first != null) ? first : caller;
				if (!caller.access().joins(first.access(), holders++)) {
					this.world.scheduler
						.violated("%s and %s hold '%s' at the same time".formatted(first, caller, caller.key));
				}
			}
		}
	}

	/** Re-entries share a hold. */
	private boolean isFirstOfHold(List<Caller> callers, int index) {
		for (int i = 0; i < index; i++) {
			if (callers.get(i).token() == callers.get(index).token() && believes(callers.get(i))) {
				return false;
			}
		}
		return true;
	}

	private boolean believes(Caller caller) {
		return !caller.process.isDead() && !mayMissForce(caller) && caller.believes();
	}

	/** Return the greatest token that is known to have ended. */
	long endedToken(String key) {
		return this.endedTokens.getOrDefault(key, 0L);
	}

	void opened(Caller caller) {
		require(caller.lock().isValid(), "%s has a lock that is not valid", caller);
		List<Caller> present = this.open.computeIfAbsent(caller.key, (key) -> new ArrayList<>());
		boolean reentry = caller.hasReentered()
				|| present.stream().anyMatch((other) -> other.token() == caller.token());
		require(caller.token() > caller.endedToken() || reentry || isForced(caller),
				"%s has a token of an earlier lock", caller);
		if (Workload.isExclusive(caller.key)) {
			long last = this.tokens.getOrDefault(caller.key, 0L);
			require(reentry || isForced(caller) || caller.token() > last,
					"%s has no greater token than the lock before", caller);
			this.tokens.put(caller.key, Math.max(last, caller.token()));
		}
		present.add(caller);
	}

	void closed(Caller caller) {
		this.open.get(caller.key).remove(caller);
		this.endedTokens.merge(caller.key, caller.token(), Math::max);
	}

	/** Check that a caller that has ended does not stay in the queue of its key. */
	void requireGone(Caller caller) {
		long present = this.world.callers.stream()
			.filter((other) -> other.process == caller.process && other.key.equals(caller.key) && !other.hasEnded())
			.count();
		require(caller.process.locks.waiting(caller.key) <= present, "%s still waits after its end", caller);
	}

	void cancelled(Caller caller) {
		this.cancelled.add(caller.token());
	}

	/** Note a grant that an operator has ended, which its holder may not know yet. */
	void forced(Holder holder) {
		this.forced.put(holder.number(), this.world.clock.nanoTime() + holder.remaining().toNanos());
	}

	private boolean isForced(Caller caller) {
		return !this.forced.isEmpty() && this.forced.containsKey(SimulatedService.grantNumber(caller.token()));
	}

	/**
	 * Return whether a caller's lock was released by force, but its lease has not ended.
	 */
	private boolean mayMissForce(Caller caller) {
		return isForced(caller)
				&& this.world.clock.nanoTime() - this.forced.get(SimulatedService.grantNumber(caller.token())) < 0;
	}

	/** Check that no caller of a process believes in a grant. */
	void requireLost(SimulatedProcess process, long grant) {
		this.open.values().forEach((callers) -> callers.forEach((caller) -> {
			if (caller.process == process && SimulatedService.grantNumber(caller.token()) == grant) {
				require(!caller.lock().isValid(), "%s believes in a lock that was released by force", caller);
			}
		}));
	}

	/** Check that a claim may be released: no caller believes in its grant. */
	void requireUnused(long grant, Object claim) {
		if (grant == 0) {
			return;
		}
		this.open.values().forEach((callers) -> callers.forEach((caller) -> {
			if (SimulatedService.grantNumber(caller.token()) == grant && believes(caller)) {
				this.world.scheduler.violated("%s is released, but %s believes in it".formatted(claim, caller));
			}
		}));
	}

	/** Check that a lock was lost for the reason that was reported. */
	void lost(Caller caller, LossCause cause) {
		SimulatedProcess process = caller.process;
		LiveClaim claim = process.engine.claimOf(SimulatedService.grantNumber(caller.token()));
		boolean limited = !caller.options.maxHold().equals(LockOptions.UNLIMITED);
		switch (cause) {
			case NOT_OWNER -> require(claim.lost || isForced(caller), "%s was lost without a reason", caller);
			case EXPIRED -> {
				require(process.clock.nanoTime() - claim.validUntil >= 0, "%s expired too early", caller);
				require(limited || process.undisturbed() < caller.options.lease().toNanos() * 3 / 4,
						"%s expired although all was well", caller);
			}
			case CANCELLED -> require(this.cancelled.contains(caller.token()), "%s was not cancelled", caller);
			case MAX_HOLD -> require(limited, "%s was lost after a maximum that it does not have", caller);
			default -> this.world.scheduler.violated("%s was lost: %s".formatted(caller, cause));
		}
	}

	/** Check that nothing is left when all callers have ended. */
	void requireNothingLeft() {
		for (SimulatedProcess process : this.world.running()) {
			require(process.locks.drain(), "%s still holds or waits for a lock", process);
			Object listening = process.engine.listening();
			require(listening == null, "%s still listens to the store", listening);
			Object unreleased = process.engine.unreleased();
			require(unreleased == null, "%s was never released", unreleased);
		}
		boolean empty = this.world.store.size() == 0;
		for (int i = 0; !empty && this.world.orphans && i < 100; i++) {
			this.world.scheduler.advance(World.LONGEST_LEASE.toNanos());
			empty = this.world.store.size() == 0;
		}
		require(empty, "Something is left in the store", "");
	}

	void require(boolean condition, String otherwise, Object subject) {
		if (!condition) {
			this.world.scheduler.violated(otherwise.formatted(subject));
		}
	}

}
