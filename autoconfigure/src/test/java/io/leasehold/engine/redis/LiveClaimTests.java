package io.leasehold.engine.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.leasehold.LockKey;
import io.leasehold.engine.AcquisitionOutcome;
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
		assertThat(this.claim.request(this.line, this.now)).isEqualTo(LEASE);
		assertThat(this.claim.request(this.line, this.now)).isEqualTo(this.settings.grantLease());
	}

	@Test
	void grantLeaseNeverExceedsTheLease() {
		LiveClaim shortLived = claim(Duration.ofMillis(700));
		shortLived.request(this.line, this.now);
		assertThat(shortLived.request(this.line, this.now)).isEqualTo(Duration.ofMillis(700));
	}

	@Test
	void messageCountsFromTheLastPollThatWasBusy() {
		this.claim.request(this.line, this.now);
		this.claim.busy(5, this.now);
		long responded = passes(1000);
		this.claim.request(this.line, responded);
		this.claim.busy(5, responded);
		long onlySent = passes(1000);
		this.claim.request(this.line, onlySent);
		this.claim.listen(this.signals::add);
		this.claim.notified(6);
		assertThat(this.signals).containsExactly(pushed(6, responded));
	}

	@Test
	void messageBeforeAnyResponseCountsFromTheFirstRequest() {
		long first = this.now;
		this.claim.request(this.line, first);
		passes(100);
		this.claim.request(this.line, this.now);
		this.claim.listen(this.signals::add);
		this.claim.notified(6);
		assertThat(this.signals).containsExactly(pushed(6, first));
	}

	@Test
	void messageIsKeptForTheListener() {
		waitsSince(5);
		this.claim.notified(6);
		this.claim.listen(this.signals::add);
		assertThat(this.signals).containsExactly(pushed(6, this.now));
	}

	@Test
	void messageThatOvertakesTheBusyResponseIsKept() {
		this.claim.request(this.line, this.now);
		this.claim.notified(6);
		this.claim.busy(5, this.now);
		this.claim.listen(this.signals::add);
		assertThat(this.signals).containsExactly(pushed(6, this.now));
	}

	@Test
	void messageOfAnEarlierGrantIsStale() {
		waitsSince(7);
		this.claim.listen(this.signals::add);
		this.claim.notified(6);
		this.claim.notified(7);
		assertThat(this.signals).isEmpty();
	}

	@Test
	void keptMessageBecomesStaleByALaterResponse() {
		waitsSince(5);
		this.claim.notified(6);
		this.claim.busy(7, this.now);
		this.claim.listen(this.signals::add);
		assertThat(this.signals).isEmpty();
	}

	@Test
	void repeatedMessageIsReceivedOnce() {
		waitsSince(5);
		this.claim.listen(this.signals::add);
		this.claim.notified(6);
		this.claim.notified(6);
		assertThat(this.signals).hasSize(1);
	}

	@Test
	void messageOfAGrantThatAPollHasFoundIsADuplicate() {
		waitsSince(5);
		this.claim.listen(this.signals::add);
		this.claim.granted(6, this.now, this.settings.grantLease(), 0);
		this.claim.notified(6);
		assertThat(this.signals).isEmpty();
	}

	@Test
	void messageWithLittleValidityLeftOnlyAsksToPoll() {
		long requested = this.now;
		waitsSince(5);
		this.claim.listen(this.signals::add);
		long validUntil = MonotonicClock.validUntil(requested, this.settings.grantLease());
		this.now = validUntil - this.settings.minValidity().toNanos() + 1;
		this.claim.notified(6);
		assertThat(this.signals).containsExactly(new Signal.Retry());
	}

	@Test
	void messageWithJustEnoughValidityIsEntered() {
		long requested = this.now;
		waitsSince(5);
		this.claim.listen(this.signals::add);
		long validUntil = MonotonicClock.validUntil(requested, this.settings.grantLease());
		this.now = validUntil - this.settings.minValidity().toNanos();
		this.claim.notified(6);
		assertThat(this.signals).containsExactly(pushed(6, requested));
	}

	@Test
	void newSubscriptionAsksToPoll() {
		waitsSince(5);
		this.claim.listen(this.signals::add);
		this.claim.mayHaveMissed();
		assertThat(this.signals).containsExactly(new Signal.Retry());
	}

	@Test
	void newSubscriptionIsKeptForTheListenerUntilTheNextPoll() {
		waitsSince(5);
		this.claim.mayHaveMissed();
		this.claim.request(this.line, this.now);
		this.claim.listen(this.signals::add);
		assertThat(this.signals).isEmpty();
		this.claim.listen(null);
		this.claim.mayHaveMissed();
		this.claim.listen(this.signals::add);
		assertThat(this.signals).containsExactly(new Signal.Retry());
	}

	@Test
	void closingClaimReceivesNothing() {
		waitsSince(5);
		this.claim.listen(this.signals::add);
		assertThat(this.claim.close()).isTrue();
		this.claim.notified(6);
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
		this.claim.notified(6);
		assertThat(this.signals).hasSize(1);
	}

	@Test
	void claimThatWasNeverSentNeedsNoEndAtTheStore() {
		assertThat(this.claim.close()).isFalse();
	}

	@Test
	void anotherLineThanTheFirstMeansThatItBroke() {
		Line second = new Line(null, null, Duration.ZERO);
		this.claim.request(this.line, this.now);
		assertThat(this.claim.requestedOnlyThrough(this.line)).isTrue();
		this.claim.request(second, this.now);
		assertThat(this.claim.requestedOnlyThrough(second)).isFalse();
	}

	@Test
	void claimThatWasForgottenHasNoRequestUnderWay() {
		assertThat(this.claim.requestedOnlyThrough(this.line)).isFalse();
		assertThat(this.claim.responded().requestedOnlyThrough(this.line)).isTrue();
		assertThat(this.claim.close()).isTrue();
	}

	@Test
	void secondRequestMayHaveWaited() {
		this.claim.request(this.line, this.now);
		assertThat(this.claim.requestedOnce()).isTrue();
		this.claim.request(this.line, this.now);
		assertThat(this.claim.requestedOnce()).isFalse();
	}

	@Test
	void redirectedRequestIsAsIfItHadNotBeenSent() {
		Line second = new Line(null, null, Duration.ZERO);
		this.claim.request(this.line, this.now);
		this.claim.requestHasNotRun();
		assertThat(this.claim.request(second, this.now)).isEqualTo(LEASE);
		assertThat(this.claim.requestedOnlyThrough(second)).isTrue();
		assertThat(this.claim.requestedOnce()).isTrue();
	}

	@Test
	void redirectionOfALaterRequestLeavesTheFirst() {
		Line second = new Line(null, null, Duration.ZERO);
		this.claim.request(this.line, this.now);
		this.claim.request(second, this.now);
		this.claim.requestHasNotRun();
		assertThat(this.claim.requestedOnlyThrough(this.line)).isTrue();
		assertThat(this.claim.requestedOnce()).isTrue();
	}

	@Test
	void claimIsLongOverWhenLeaseAndLateRequestsAre() {
		Duration late = Duration.ofSeconds(60);
		this.claim.request(this.line, this.now);
		assertThat(this.claim.isLongOver(this.now + Duration.ofDays(1).toNanos(), late)).isFalse();
		this.claim.close();
		long over = this.now + LEASE.plus(late).toNanos();
		assertThat(this.claim.isLongOver(over, late)).isFalse();
		assertThat(this.claim.isLongOver(over + 1, late)).isTrue();
	}

	private void waitsSince(long busyWith) {
		this.claim.request(this.line, this.now);
		this.claim.busy(busyWith, this.now);
	}

	private long passes(long millis) {
		this.now += millis * 1_000_000;
		return this.now;
	}

	private Signal pushed(long number, long base) {
		return new Signal.Pushed(
				new AcquisitionOutcome.Granted(number, MonotonicClock.validUntil(base, this.settings.grantLease())));
	}

	private LiveClaim claim(Duration lease) {
		return new LiveClaim(new Claim(new LockKey("k"), Member.of("test").newOwner(), lease, Duration.ZERO, true, 0),
				"owner", this.settings, () -> this.now);
	}

}
