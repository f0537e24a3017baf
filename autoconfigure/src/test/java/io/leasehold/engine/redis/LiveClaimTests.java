package io.leasehold.engine.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.leasehold.LockKey;
import io.leasehold.engine.Attempt;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.Signal;
import io.leasehold.engine.redis.connection.Line;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The rules of the protocol's section 3, with the clock in hand.
 */
class LiveClaimTests {

	private static final Duration LEASE = Duration.ofSeconds(30);

	private final RedisSettings settings = RedisEngines.settings("ns");

	private final Line line = new Line(null, null, Duration.ZERO);

	private final List<Signal> signals = new ArrayList<>();

	private long now = 1_000_000_000;

	private final LiveClaim claim = claim(LEASE);

	@Test
	void firstRequestAsksForTheLeaseAndLaterOnesForTheGrantLease() {
		assertThat(this.claim.ask(this.line, this.now)).isEqualTo(LEASE);
		assertThat(this.claim.ask(this.line, this.now)).isEqualTo(this.settings.grantLease());
	}

	@Test
	void grantLeaseNeverExceedsTheLease() {
		LiveClaim shortLived = claim(Duration.ofMillis(700));
		shortLived.ask(this.line, this.now);
		assertThat(shortLived.ask(this.line, this.now)).isEqualTo(Duration.ofMillis(700));
	}

	@Test
	void messageCountsFromTheLastPollThatWasAnsweredBusy() {
		this.claim.ask(this.line, this.now);
		this.claim.busy(5, this.now);
		long answered = passes(1000);
		this.claim.ask(this.line, answered);
		this.claim.busy(5, answered);
		long onlySent = passes(1000);
		this.claim.ask(this.line, onlySent);
		this.claim.listen(this.signals::add);
		this.claim.told(6);
		assertThat(this.signals).containsExactly(pushed(6, answered));
	}

	@Test
	void messageBeforeAnyAnswerCountsFromTheFirstRequest() {
		long first = this.now;
		this.claim.ask(this.line, first);
		passes(100);
		this.claim.ask(this.line, this.now);
		this.claim.listen(this.signals::add);
		this.claim.told(6);
		assertThat(this.signals).containsExactly(pushed(6, first));
	}

	@Test
	void messageIsKeptForTheListener() {
		waitsSince(5);
		this.claim.told(6);
		this.claim.listen(this.signals::add);
		assertThat(this.signals).containsExactly(pushed(6, this.now));
	}

	@Test
	void messageThatOvertakesTheBusyAnswerIsKept() {
		this.claim.ask(this.line, this.now);
		this.claim.told(6);
		this.claim.busy(5, this.now);
		this.claim.listen(this.signals::add);
		assertThat(this.signals).containsExactly(pushed(6, this.now));
	}

	@Test
	void messageOfAnEarlierGrantIsStale() {
		waitsSince(7);
		this.claim.listen(this.signals::add);
		this.claim.told(6);
		this.claim.told(7);
		assertThat(this.signals).isEmpty();
	}

	@Test
	void keptMessageBecomesStaleByALaterAnswer() {
		waitsSince(5);
		this.claim.told(6);
		this.claim.busy(7, this.now);
		this.claim.listen(this.signals::add);
		assertThat(this.signals).isEmpty();
	}

	@Test
	void doubledMessageIsHeardOnce() {
		waitsSince(5);
		this.claim.listen(this.signals::add);
		this.claim.told(6);
		this.claim.told(6);
		assertThat(this.signals).hasSize(1);
	}

	@Test
	void messageOfAGrantThatAPollHasFoundIsADuplicate() {
		waitsSince(5);
		this.claim.listen(this.signals::add);
		this.claim.granted(6, this.now, this.settings.grantLease());
		this.claim.told(6);
		assertThat(this.signals).isEmpty();
	}

	@Test
	void messageWithLittleValidityLeftOnlyAsksToPoll() {
		long asked = this.now;
		waitsSince(5);
		this.claim.listen(this.signals::add);
		long validUntil = MonotonicClock.validUntil(asked, this.settings.grantLease());
		this.now = validUntil - this.settings.minValidity().toNanos() + 1;
		this.claim.told(6);
		assertThat(this.signals).containsExactly(new Signal.AskAgain());
	}

	@Test
	void messageWithJustEnoughValidityIsEntered() {
		long asked = this.now;
		waitsSince(5);
		this.claim.listen(this.signals::add);
		long validUntil = MonotonicClock.validUntil(asked, this.settings.grantLease());
		this.now = validUntil - this.settings.minValidity().toNanos();
		this.claim.told(6);
		assertThat(this.signals).containsExactly(pushed(6, asked));
	}

	@Test
	void newSubscriptionAsksToPoll() {
		waitsSince(5);
		this.claim.listen(this.signals::add);
		this.claim.mayHaveMissed();
		assertThat(this.signals).containsExactly(new Signal.AskAgain());
	}

	@Test
	void newSubscriptionIsKeptForTheListenerUntilTheNextPoll() {
		waitsSince(5);
		this.claim.mayHaveMissed();
		this.claim.ask(this.line, this.now);
		this.claim.listen(this.signals::add);
		assertThat(this.signals).isEmpty();
		this.claim.listen(null);
		this.claim.mayHaveMissed();
		this.claim.listen(this.signals::add);
		assertThat(this.signals).containsExactly(new Signal.AskAgain());
	}

	@Test
	void closingClaimHearsNothing() {
		waitsSince(5);
		this.claim.listen(this.signals::add);
		assertThat(this.claim.close()).isTrue();
		this.claim.told(6);
		this.claim.mayHaveMissed();
		assertThat(this.signals).isEmpty();
	}

	@Test
	void failingListenerDoesNotReachTheConnection() {
		waitsSince(5);
		this.claim.listen((signal) -> {
			this.signals.add(signal);
			throw new IllegalStateException("a mistake");
		});
		this.claim.told(6);
		assertThat(this.signals).hasSize(1);
	}

	@Test
	void claimThatWasNeverSentNeedsNoEndAtTheStore() {
		assertThat(this.claim.close()).isFalse();
	}

	@Test
	void anotherLineThanTheFirstMeansThatItBroke() {
		Line second = new Line(null, null, Duration.ZERO);
		this.claim.ask(this.line, this.now);
		assertThat(this.claim.askedOnlyThrough(this.line)).isTrue();
		this.claim.ask(second, this.now);
		assertThat(this.claim.askedOnlyThrough(second)).isFalse();
	}

	@Test
	void claimThatWasForgottenHasNoRequestUnderWay() {
		assertThat(this.claim.askedOnlyThrough(this.line)).isFalse();
		assertThat(this.claim.answered().askedOnlyThrough(this.line)).isTrue();
		assertThat(this.claim.close()).isTrue();
	}

	@Test
	void secondRequestMayHaveWaited() {
		this.claim.ask(this.line, this.now);
		assertThat(this.claim.wasAskedOnce()).isTrue();
		this.claim.ask(this.line, this.now);
		assertThat(this.claim.wasAskedOnce()).isFalse();
	}

	@Test
	void redirectedRequestIsAsIfItHadNotBeenSent() {
		Line second = new Line(null, null, Duration.ZERO);
		this.claim.ask(this.line, this.now);
		this.claim.requestHasNotRun();
		assertThat(this.claim.ask(second, this.now)).isEqualTo(LEASE);
		assertThat(this.claim.askedOnlyThrough(second)).isTrue();
		assertThat(this.claim.wasAskedOnce()).isTrue();
	}

	@Test
	void redirectionOfALaterRequestLeavesTheFirst() {
		Line second = new Line(null, null, Duration.ZERO);
		this.claim.ask(this.line, this.now);
		this.claim.ask(second, this.now);
		this.claim.requestHasNotRun();
		assertThat(this.claim.askedOnlyThrough(this.line)).isTrue();
		assertThat(this.claim.wasAskedOnce()).isTrue();
	}

	@Test
	void claimIsLongOverWhenLeaseAndLateRequestsAre() {
		Duration late = Duration.ofSeconds(60);
		this.claim.ask(this.line, this.now);
		assertThat(this.claim.isLongOver(this.now + Duration.ofDays(1).toNanos(), late)).isFalse();
		this.claim.close();
		long over = this.now + LEASE.plus(late).toNanos();
		assertThat(this.claim.isLongOver(over, late)).isFalse();
		assertThat(this.claim.isLongOver(over + 1, late)).isTrue();
	}

	private void waitsSince(long busyWith) {
		this.claim.ask(this.line, this.now);
		this.claim.busy(busyWith, this.now);
	}

	private long passes(long millis) {
		this.now += millis * 1_000_000;
		return this.now;
	}

	private Signal pushed(long fence, long base) {
		return new Signal.Pushed(
				new Attempt.Granted(fence, MonotonicClock.validUntil(base, this.settings.grantLease())));
	}

	private LiveClaim claim(Duration lease) {
		return new LiveClaim(new Claim(new LockKey("k"), Member.of("test").newOwner(), lease, Duration.ZERO, true, 0),
				"owner", this.settings, () -> this.now);
	}

}
