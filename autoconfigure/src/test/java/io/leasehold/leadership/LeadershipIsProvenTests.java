package io.leasehold.leadership;

import java.time.Duration;
import java.util.stream.Stream;

import io.leasehold.service.SeededService;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The tests find bugs of the election: with one snippet of the source replaced, the test
 * that is named beside it fails.
 */
@Tag("full")
class LeadershipIsProvenTests {

	private static final String FAULTS = "io.leasehold.engine.local.LocalLeaderFaultsTests.";

	private static final String CANDIDATE = "io.leasehold.leadership.CandidateTests.";

	private static final String ROLES = "io.leasehold.leadership.LeadershipsTests.";

	/** A term of {@link #FAULTS} has a lease of two seconds. */
	@ParameterizedTest(name = "{0}: {1}")
	@MethodSource({ "bugsOfTerms", "bugsOfCandidacies" })
	void testFailsElectionWith(SeededService.Bug bug, String test) {
		SeededService.requireFailure(bug, Duration.ofSeconds(6), test);
	}

	/** Shows that the tests above fail because of the bug. */
	@ParameterizedTest
	@MethodSource("tests")
	void testPassesElectionWithoutABug(String test) throws Exception {
		new SeededService().run(test);
	}

	static Stream<String> tests() {
		return Stream.concat(bugsOfTerms(), bugsOfCandidacies())
			.map((arguments) -> (String) arguments.get()[1])
			.distinct();
	}

	static Stream<Arguments> bugsOfTerms() {
		return Stream.of(
				bug("a leader that does not check its lock", "Candidate", ".filter(HeldLock::isValid)", "",
						FAULTS + "leaderThatIsCutOffLeadsNoMoreWhenAnotherOneDoes"),
				bug("a lock that does not end with its lease", "io.leasehold.service.gate.Hold",
						"return this.grant.isValid(now) && maxHoldRest(now) > 0;", "return maxHoldRest(now) > 0;",
						FAULTS + "leaderThatIsCutOffLeadsNoMoreWhenAnotherOneDoes"),
				bug("a leader that does not stand again after a loss", "Candidate",
						"end(held, RevocationCause.LOST); stand();", "end(held, RevocationCause.LOST);",
						FAULTS + "leaderThatIsCutOffLeadsNoMoreWhenAnotherOneDoes"),
				bug("a loss that does not end the term", "Candidate", "end(held, RevocationCause.LOST); stand();",
						"stand();", FAULTS + "storeThatIsEmptyAfterItsFailureBeginsAGreaterTerm"),
				bug("terms that do not grow", "io.leasehold.service.gate.Hold",
						"return FencingTokens.first(this.grant.number) + this.pass;", "return 1 + this.pass;",
						FAULTS + "storeThatIsEmptyAfterItsFailureBeginsAGreaterTerm"),
				bug("a release by force that is ignored", "io.leasehold.engine.local.LocalLockEngine",
						"slot.free(now); engine.serve(slot, now, notifications); return holders;", "return holders;",
						FAULTS + "releaseByForceThroughAnotherInstanceEndsTheTerm"),
				bug("a term that begins without its event", "Candidate",
						"publish(new LeadershipGrantedEvent(this.role, held.fencingToken()));", "",
						CANDIDATE + "oneLeadsAndTheOtherFollowsIt"),
				bug("a term that ends without its event", "Candidate",
						"publish(new LeadershipRevokedEvent(this.role, held.fencingToken(), first));", "",
						FAULTS + "releaseByForceThroughAnotherInstanceEndsTheTerm"),
				bug("a term with a number of its process", "Candidate", "OptionalLong.of(held.fencingToken())",
						"OptionalLong.of(this.terms.get())", CANDIDATE + "oneLeadsAndTheOtherFollowsIt"),
				bug("a lock that is released before its listeners return", "Candidate",
						"publish(new LeadershipRevokedEvent(this.role, held.fencingToken(), first)); close(held);",
						"close(held); publish(new LeadershipRevokedEvent(this.role, held.fencingToken(), first));",
						CANDIDATE + "nobodyLeadsUntilListenersOfTheFormerLeaderReturn"),
				bug("a leader that leads until its listeners return", "Candidate", "this.term = null; logger", "logger",
						CANDIDATE + "nobodyLeadsUntilListenersOfTheFormerLeaderReturn"),
				bug("a loss that a step-down hides", "Candidate", "held.isValid() ? cause : RevocationCause.LOST",
						"cause", CANDIDATE + "stepDownOfALeaderThatLostItsLockIsALoss"));
	}

	static Stream<Arguments> bugsOfCandidacies() {
		return Stream.of(
				bug("elections that other roles do not notice", "Leaderships", "candidate.start(elections)",
						"candidate.start(new AtomicLong())", ROLES + "rolesOfAnInstanceThatStopsAreSpread"),
				bug("a grant that is kept after another election", "Candidate",
						"this.elections.compareAndSet(this.electionsBefore, this.electionsBefore + 1)", "true",
						CANDIDATE + "grantAfterAnotherElectionIsForTheNextCandidate"),
				bug("a candidate that stands no more after another election", "Candidate",
						"else { stand(); close(held);", "else { close(held);",
						CANDIDATE + "grantAfterAnotherElectionIsForTheNextCandidate"),
				bug("a candidate that stands again after its release", "Candidate", "else { stand(); close(held);",
						"else { close(held); stand();",
						CANDIDATE + "roleIsLeftToOthersAfterAStepDownAndAfterAnotherElection"),
				bug("a leader that stands again after its release", "Candidate", "limited.isZero() ? tryEnter() :",
						"false ? tryEnter() :", CANDIDATE + "roleIsLeftToOthersAfterAStepDownAndAfterAnotherElection"),
				bug("a pause that is none", "Candidate", "limited.toNanos(), TimeUnit", "0, TimeUnit",
						CANDIDATE + "leaderThatStepsDownIsNoCandidateForThePause"),
				bug("a pause that another step-down does not end", "Candidate", "this.pause.cancel(false);", "",
						CANDIDATE + "secondStepDownReplacesThePause"),
				bug("a candidate that waits in its pause", "Candidate", "waiting.cancel(false);", "",
						CANDIDATE + "candidateThatStepsDownBeforeItLeadsWaitsNoMore"),
				bug("a late grant that is not released", "Candidate", "if (held != null) { close(held); // granted",
						"if (held == this.term && held != null) { close(held); // granted",
						CANDIDATE + "grantThatIsCancelledTooLateIsReleased"));
	}

	private static Arguments bug(String description, String type, String snippet, String bug, String test) {
		String name = (type.indexOf('.') < 0) ? LeadershipIsProvenTests.class.getPackageName() + "." + type : type;
		return Arguments.of(new SeededService.Bug(description, name, snippet, bug), test);
	}

}
