package io.leasehold.service;

import java.time.Duration;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The tests find bugs of the service, as {@code ContractIsProvenTests} shows of bugs in
 * engines: with one snippet of the service's source replaced, the test that is named
 * beside it fails.
 */
@Tag("full")
class ServiceIsProvenTests {

	private static final String PACKAGE = ServiceIsProvenTests.class.getPackageName() + ".";

	@ParameterizedTest(name = "{0}: {1}")
	@MethodSource({ "bugs", "bugsOfLingering" })
	void testFailsServiceWith(SeededService.Bug bug, String test) {
		SeededService.requireFailure(bug, Duration.ofSeconds(3), PACKAGE + test);
	}

	/** Shows that the tests above fail because of the bug. */
	@ParameterizedTest
	@MethodSource("tests")
	void testPassesServiceWithoutABug(String test) throws Exception {
		new SeededService().run(PACKAGE + test);
	}

	static Stream<String> tests() {
		return Stream.concat(bugs(), bugsOfLingering()).map((arguments) -> (String) arguments.get()[1]).distinct();
	}

	static Stream<Arguments> bugs() {
		return Stream.of(
				bug("a renewal that is not repeated after a failure", "Watchdog", "hold.renewalFailed(now);",
						"hold.renewalFailed(now + IDLE / 2);", "LockRenewalTests.renewalThatFailsInAnyWayIsRepeated"),
				bug("a deadline that is not checked", "Holds", "if (hold.isValid(now)) {", "if (true) {",
						"LockRenewalTests.maxHoldEndsRenewal"),
				bug("a caller that stays in the queue when it gives up", "gate.KeyQueue",
						"this.head = Link.remove(this.head, waiter); waiter.fail(reason); decision.wake(waiter);",
						"waiter.fail(reason); waiter.wake();",
						"LockServiceTests.interruptedWaiterKeepsItsFlagAndLeavesNothing"),
				bug("a claim that stays when its last caller has given up", "gate.KeyQueue", "if (claim.abandon()) {",
						"if (false) {", "LockServiceTests.interruptedWaiterKeepsItsFlagAndLeavesNothing"),
				bug("an interrupt that is swallowed", "BlockingWaiter", "!this.thread.isInterrupted()",
						"!Thread.interrupted()", "LockServiceTests.interruptedWaiterKeepsItsFlagAndLeavesNothing"),
				bug("a re-entry whose end ends the hold", "gate.Hold", "return --this.handles == 0;",
						"this.handles--; return true;", "LockServiceTests.scopeReentersWithTheSameToken"),
				bug("a hold that is re-entered after its end", "gate.KeyGate",
						"opened.isLinked() && !opened.isClosed()", "opened.isLinked()",
						"LockServiceTests.reentryThatMeetsTheEndOfItsHoldHasANewOne"),
				bug("a loss that is not reported at the end", "Handle",
						"this.releases.execute(this);\n\t\t\tthis.holds.throwIfLostAtEnd(this.hold);",
						"this.releases.execute(this);", "LockLossTests.lossIsFoundAtTheReleaseAtTheLatest"));
	}

	/** Bugs of grants that linger. */
	static Stream<Arguments> bugsOfLingering() {
		return Stream.of(
				bug("an entry with the token of the hold before", "gate.Linger",
						"new Hold(former.grant, waiter, former, false, now)",
						"new Hold(former.grant, waiter, null, false, now)",
						"LingerTests.grantOfARepeatedKeyIsEnteredWithoutARequest"),
				bug("a recall that is ignored while nothing runs", "gate.Linger", "free(this.parked.grant, decision);",
						"", "LingerTests.parkedGrantIsReleasedWhenAnotherProcessWaits"),
				bug("a parked grant that remains at a shutdown", "gate.KeyGate",
						"this.holders.dropClosed(this.rules.now()); free(null, decision);",
						"this.holders.dropClosed(this.rules.now());", "LingerTests.parkedGrantIsReleasedAtShutdown"),
				bug("a parked grant that is entered after its end", "gate.Linger", "grant.mayLingerFor(now) > 0",
						"true", "LingerTests.parkedGrantIsNotEnteredAfterHalfOfItsLease"),
				bug("a revocation that leaves the grant parked", "gate.Linger", "free(lost, decision);", "",
						"LingerTests.grantWhoseHolderClosesDuringItsRevocationIsNotParked"));
	}

	private static Arguments bug(String description, String type, String snippet, String bug, String test) {
		return Arguments.of(new SeededService.Bug(description, type, snippet, bug), test);
	}

}
