package io.leasehold.service;

import java.util.stream.Stream;

import io.leasehold.service.simulation.Quiet;
import io.leasehold.service.simulation.Simulation;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The simulator finds bugs of the service. The seeds are always the same, so each bug is
 * found by the same schedule.
 */
@Tag("full")
@ExtendWith(Quiet.class)
class SimulationIsProvenTests {

	/** Far more than are needed. */
	private static final int MOST_SCHEDULES = Integer.getInteger("simulation.most", 10_000);

	@ParameterizedTest(name = "{0}")
	@MethodSource("bugs")
	void simulatorFinds(SeededService.Bug bug) throws Exception {
		requireFound(bug, 1);
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource("bugsOfGroups")
	void simulatorFindsWithSeveralKeys(SeededService.Bug bug) throws Exception {
		requireFound(bug, Simulation.GROUPS);
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource("bugsOfLingering")
	void simulatorFindsWithLingeringGrants(SeededService.Bug bug) throws Exception {
		requireFound(bug, Simulation.REVOCATIONS);
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource("bugsOfContention")
	void simulatorFindsInContention(SeededService.Bug bug) throws Exception {
		requireFound(bug, Simulation.CONTENTION);
	}

	private static void requireFound(SeededService.Bug bug, long firstSeed) throws Exception {
		Object found = new SeededService(bug).loadClass("io.leasehold.service.simulation.Simulation")
			.getMethod("firstFailure", long.class, int.class)
			.invoke(null, firstSeed, MOST_SCHEDULES);
		System.out.printf("%s: found after %s%n", bug, found);
		assertThat(found).as("failure of a schedule").isNotNull();
	}

	static Stream<SeededService.Bug> bugs() {
		return Stream.concat(ServiceIsProvenTests.bugs().map((arguments) -> (SeededService.Bug) arguments.get()[0]),
				furtherBugs());
	}

	/** Bugs that {@link ServiceIsProvenTests} does not seed. */
	private static Stream<SeededService.Bug> furtherBugs() {
		return Stream.of(
				bug("a grant that is valid without its margin", "gate.Grant",
						"this.validUntil = response.validUntil();",
						"this.validUntil = response.validUntil() + this.claim.lease().toNanos() / 100 + 2_000_000;"),
				bug("a grant that is not checked when it is opened", "Acquirer",
						"(gate != null && this.holds.isValid(gate, hold, now))", "(gate != null)"),
				bug("a renewal that counts from its response on", "Watchdog",
						"hold.grant.extend(renewed.validUntil(), now)", "hold.grant.extend(now + hold.lease(), now)"),
				bug("a release that counts although its response was lost", "GateDriver",
						"this.closer.close(hold.grant.claim);", ""),
				bug("a claim that is not requested again after a failure", "gate.KeyQueue",
						"decision.request(claim, claim.backoff(this.rules.random));", ""),
				bug("a claim that is not polled", "gate.KeyQueue",
						"decision.request(claim, again ? Duration.ZERO : busy.retryIn());", ""),
				bug("a claim that is released while a request is in flight", "gate.StoreClaim",
						"boolean may = this.phase == Phase.ENDED;", "boolean may = true;"),
				bug("a lock that is renewed after its release", "Watchdog", "this.gate.renewalBegan(this.hold.grant)",
						"this.hold"),
				bug("a shared claim that a later caller inherits", "gate.GateRules", "(claim.access().limit() == 1 ||",
						"(true ||"),
				bug("a waiter that is not woken when it is granted", "gate.KeyQueue",
						"return proceed(Duration.ZERO, decision.wake(waiter));",
						"return proceed(Duration.ZERO, decision);"),
				bug("a first request that is not sent", "Acquirer", "this.driver.send(gate, first)", "decision"),
				bug("a grant that is not released when its hold is closed", "Holds",
						"this.driver.release(gate, hold, now) instanceof ReleaseOutcome.NotOwner", "false"),
				bug("a lock that is released while cancelled work runs under it", "Holds",
						"this.closer.closeAfter(loss.hold().grant.claim, loss.rest(),",
						"this.closer.closeAfter(loss.hold().grant.claim, Duration.ZERO,"),
				bug("a release by force that its process does not notice", "EngineLocks",
						"this.holds.loseByForce(gate, hold)", "gate.hashCode()"),
				bug("a loss that a renewal does not notice", "Watchdog",
						"this.listener.get().notOwner(renewal.gate, hold);",
						"hold.grant.extend(now + hold.lease(), now); hold.renewed(now);"));
	}

	static Stream<SeededService.Bug> bugsOfLingering() {
		return Stream.concat(
				ServiceIsProvenTests.bugsOfLingering().map((arguments) -> (SeededService.Bug) arguments.get()[0]),
				furtherBugsOfLingering());
	}

	private static Stream<SeededService.Bug> furtherBugsOfLingering() {
		return Stream.of(
				bug("a recall that is forgotten while a caller has the lock", "gate.Linger",
						"this.asking = null; this.lingering = null; this.rules", "this.asking = null; this.rules"),
				bug("a recall that is forgotten before its grant arrives", "gate.Linger",
						"this.asking = null; this.lingering = null; this.rules", "this.lingering = null; this.rules"),
				bug("a revocation that is forgotten before its grant arrives", "gate.KeyGate",
						"numbers.forEach(pending::revoke);", ""),
				bug("a revocation of another process that is ignored", "EngineLocks",
						"loseByForce(gate, Set.of(number), claim)));", "gate.describe()));"));
	}

	static Stream<SeededService.Bug> bugsOfContention() {
		return Stream.of(
				bug("a revocation that is forgotten when the next request begins", "gate.StoreClaim",
						"this.phase = Phase.REQUESTED;", "this.phase = Phase.REQUESTED; this.revoked = 0;"),
				bug("a revoked claim that is requested again", "gate.KeyGate",
						"return this.queue.replace(claim, Duration.ZERO, decision);",
						"return decision.request(claim, Duration.ZERO);"),
				bug("a claim that does not wait and is requested again", "gate.KeyQueue",
						"replace(claim, retryIn, decision);", "decision.request(claim, retryIn);"));
	}

	static Stream<SeededService.Bug> bugsOfGroups() {
		return Stream.of(
				bug("locks that stay when another one is busy", "AsyncHeldLocks",
						"HeldLocks.closeAll(this.taken, failure, this.closing)",
						"HeldLocks.closeAll(List.of(), failure, this.closing)"),
				bug("locks that stay when the result was cancelled", "AsyncHeldLocks",
						"HeldLocks.closeAll(this.taken, new CancellationException(), this.closing);", ""),
				bug("a lock that is lost during the wait for another", "HeldLocks", "all.throwIfLost();", ""),
				bug("a second loss that is not reported", "HeldLocks", "failure.addSuppressed(ex);", ""));
	}

	private static SeededService.Bug bug(String description, String type, String snippet, String bug) {
		return new SeededService.Bug(description, type, snippet, bug);
	}

}
