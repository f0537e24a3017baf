package io.leasehold.engine.etcd;

import java.math.BigDecimal;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;

import io.grpc.Status;
import io.leasehold.LockKey;
import io.leasehold.engine.Access;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.support.Deadlines;
import io.leasehold.test.contract.Terms;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Tests for the states of sessions, claims and members, at the limits of their times.
 */
class EtcdStatesTests {

	private static final Duration TIMEOUT = Duration.ofSeconds(8);

	private static final Duration LEASE = Duration.ofSeconds(4);

	private static final Duration DELAY = Duration.ofSeconds(1);

	private static final Duration HOLD = Duration.ofSeconds(3);

	/** Close to the overflow, since readings compare by difference alone. */
	private static final long SENT = Long.MAX_VALUE - 5;

	private final Session session = new Session(7, TIMEOUT, "session", 5, SENT, (lost) -> {
	});

	private final LiveClaim live = live(DELAY, HOLD);

	private static LiveClaim live(Duration lockDelay, Duration minHold) {
		Claim claim = new Claim(new LockKey("k"), Member.of("test").newOwner(),
				Terms.of(Access.EXCLUSIVE, LEASE, minHold, lockDelay), false, 0);
		return new LiveClaim(claim, "id", "locks/k/", new Turn(null));
	}

	@Test
	void sessionIsDueAfterAQuarterAndStaleAfterAHalf() {
		long quarter = TIMEOUT.dividedBy(4).toNanos();
		assertThat(this.session.isDue(SENT + quarter - 1)).isFalse();
		assertThat(this.session.isDue(SENT + quarter)).isTrue();
		assertThat(this.session.isStale(SENT + 2 * quarter - 1)).isFalse();
		assertThat(this.session.isStale(SENT + 2 * quarter)).isTrue();
	}

	@Test
	void sessionIsValidFromItsLatestProof() {
		long end = MonotonicClock.validUntil(SENT, TIMEOUT);
		assertThat(this.session.earlier(end + 1)).isEqualTo(end);
		assertThat(this.session.earlier(end - 1)).isEqualTo(end - 1);
		this.session.prove(SENT + 9);
		this.session.prove(SENT + 8);
		assertThat(this.session.earlier(end + 10)).isEqualTo(end + 9);
	}

	@Test
	void claimLastsForLeaseAndLockDelayWhateverItsMinimumHold() {
		long valid = MonotonicClock.validUntil(SENT, LEASE);
		assertThat(this.live.grant(SENT, LEASE)).isEqualTo(valid);
		assertThat(this.live.isDue(SENT + LEASE.plus(DELAY).toNanos() - 1)).isFalse();
		assertThat(this.live.isDue(SENT + LEASE.plus(DELAY).toNanos())).isTrue();
		LiveClaim held = live(Duration.ZERO, LEASE.multipliedBy(2));
		held.grant(SENT, LEASE);
		assertThat(held.isDue(SENT + LEASE.toNanos() - 1)).isFalse();
		assertThat(held.isDue(SENT + LEASE.toNanos())).isTrue();
		assertThat(held.isLeaseOver(SENT + LEASE.toNanos() - 1)).isFalse();
		assertThat(held.isLeaseOver(SENT + LEASE.toNanos())).isTrue();
	}

	@Test
	void leaseIsNeverShortened() {
		Long valid = this.live.grant(SENT, LEASE);
		assertThat(this.live.grant(SENT + 1, LEASE.minusNanos(200))).isEqualTo(valid);
		assertThat(this.live.isLeaseOver(SENT + LEASE.toNanos() - 1)).isFalse();
		assertThat(this.live.grant(SENT + 1, LEASE)).isEqualTo(valid + 1);
		assertThat(this.live.isLeaseOver(SENT + LEASE.toNanos())).isFalse();
	}

	@Test
	void minimumHoldBeginsWithTheFirstGrant() {
		assertThat(this.live.heldFor(SENT)).as("not granted").isZero();
		this.live.beginGrant(SENT, Instant.EPOCH);
		this.live.grant(SENT, LEASE);
		this.live.beginGrant(SENT + 9, Instant.EPOCH.plusNanos(9));
		this.live.grant(SENT + 9, LEASE);
		assertThat(this.live.heldFor(SENT + 10)).isEqualTo(HOLD.minusNanos(10));
		assertThat(this.live.since()).isEqualTo(Instant.EPOCH);
	}

	@Test
	void grantAfterTheLeaseOrTheEndIsRefused() {
		this.live.grant(SENT, LEASE);
		assertThat(this.live.grant(SENT + LEASE.toNanos(), LEASE)).isNull();
		assertThat(this.live.isHeld()).isTrue();
		this.live.end(SENT + 1);
		assertThat(this.live.grant(SENT + 1, LEASE)).isNull();
		assertThat(this.live.isHeld()).isFalse();
		assertThat(this.live.wasGranted()).isTrue();
	}

	@Test
	void releaseInTimeIsNoExpiry() {
		this.live.grant(SENT, LEASE);
		this.live.end(SENT + LEASE.toNanos() - 1);
		assertThat(this.live.hasExpired()).isFalse();
		this.live.end(SENT + LEASE.toNanos());
		assertThat(this.live.hasExpired()).as("repeated release").isFalse();
		LiveClaim late = live(DELAY, HOLD);
		late.grant(SENT, LEASE);
		late.end(SENT + LEASE.toNanos());
		assertThat(late.hasExpired()).isTrue();
	}

	@Test
	void claimExpiresWithItsKey() {
		this.live.grant(SENT, LEASE);
		long over = SENT + LEASE.plus(DELAY).toNanos();
		assertThat(this.live.expire(over - 1)).isFalse();
		assertThat(this.live.isHeld()).isTrue();
		assertThat(this.live.expire(over)).isTrue();
		assertThat(this.live.isHeld()).isFalse();
		assertThat(this.live.hasExpired()).isTrue();
		LiveClaim released = live(DELAY, HOLD);
		released.grant(SENT, LEASE);
		released.end(SENT + 1);
		assertThat(released.expire(over)).isTrue();
		assertThat(released.hasExpired()).isFalse();
	}

	@Test
	void keyOfAClaimThatEndedWithoutAGrantIsRemovedAfterALease() {
		assertThat(this.live.isDue(SENT)).isFalse();
		this.live.end(SENT);
		this.live.end(SENT + 100);
		assertThat(this.live.isDue(SENT + LEASE.toNanos() - 1)).isFalse();
		assertThat(this.live.isDue(SENT + LEASE.toNanos())).isTrue();
		assertThat(this.live.hasExpired()).isFalse();
	}

	@Test
	void keyMayExistOnceItWasPlacedOrARequestHadNoResponse() {
		assertThat(this.live.mayHaveKey()).isFalse();
		this.live.place(3);
		assertThat(this.live.mayHaveKey()).isTrue();
		assertThat(this.live.mayComeLate()).isFalse();
		this.live.displace();
		assertThat(this.live.mayHaveKey()).isFalse();
		this.live.doubt();
		assertThat(this.live.mayHaveKey()).isTrue();
		assertThat(this.live.mayComeLate()).isTrue();
	}

	@Test
	void memberIsUsedUntilItFails() throws Exception {
		URI one = URI.create("http://one");
		URI two = URI.create("http://two");
		Members members = new Members(List.of(one, two));
		members.leave(two);
		assertThat(members.failures()).isZero();
		members.leave(one);
		members.leave(one);
		assertThat(members.present()).isEqualTo(two);
		assertThat(members.failures()).isOne();
		assertThat(members.<URI>run((member) -> member, later())).isEqualTo(two);
	}

	/**
	 * All members, and the first one again: it may have been replaced by another call.
	 */
	@Test
	void failedRequestIsSentToAllMembers() {
		Members members = new Members(List.of(URI.create("http://one"), URI.create("http://two")));
		List<URI> sent = new ArrayList<>();
		EtcdException broken = new EtcdException(Status.Code.UNAVAILABLE, "broken", null);
		assertThatExceptionOfType(EtcdException.class).isThrownBy(() -> members.run((member) -> {
			sent.add(member);
			throw broken;
		}, later()));
		assertThat(sent).extracting(URI::getHost).containsExactly("one", "two", "one");
		sent.clear();
		assertThatExceptionOfType(EtcdException.class).isThrownBy(() -> members.run((member) -> {
			sent.add(member);
			throw broken;
		}, System.nanoTime()));
		assertThat(sent).as("without time left").hasSize(1);
	}

	@Test
	void memberThatRejectsARequestIsKeptAndOneThatIsLateIsNot() {
		Members members = new Members(List.of(URI.create("http://one"), URI.create("http://two")));
		assertThatExceptionOfType(EtcdException.class).isThrownBy(() -> members.run((member) -> {
			throw new EtcdException(Status.Code.PERMISSION_DENIED, "denied", null);
		}, later()));
		assertThat(members.failures()).isZero();
		assertThatExceptionOfType(EtcdException.class).isThrownBy(() -> members.run((member) -> {
			throw EtcdException.late("late");
		}, later()));
		assertThat(members.present()).hasHost("two");
	}

	@Test
	void lateResponseIsReportedWithTheFailureBefore() {
		Members members = new Members(List.of(URI.create("http://one"), URI.create("http://two")));
		EtcdException refused = new EtcdException(Status.Code.UNAVAILABLE, "http://one refused", null);
		assertThatExceptionOfType(EtcdException.class).isThrownBy(() -> members.run((member) -> {
			if (member.getHost().equals("one")) {
				throw refused;
			}
			throw EtcdException.late("http://two did not respond");
		}, later())).withMessage("http://two did not respond, after http://one refused").withCause(refused);
	}

	/** A waiting call reports why the call that creates the session has failed. */
	@Test
	void sessionThatCannotBeCreatedHasOneReasonForAllCalls() throws Exception {
		CompletableFuture<URI> begun = new CompletableFuture<>();
		CompletableFuture<Void> waits = new CompletableFuture<>();
		Channels refusing = new Channels((member) -> {
			begun.complete(member);
			waits.join();
			throw new IllegalStateException("no connection to " + member);
		});
		EtcdSettings settings = new EtcdSettings("ns", LEASE, Duration.ofSeconds(1), Duration.ofSeconds(1));
		Store store = new Store(new EtcdClient(refusing, true, null), new Members(List.of(URI.create("http://one"))));
		Sessions sessions = new Sessions(store, new EtcdKeys("ns"), null, settings, (lost) -> {
		}, MonotonicClock.SYSTEM);
		Claim claim = this.live.claim();
		CompletableFuture<Session> first = CompletableFuture.supplyAsync(() -> require(sessions, claim));
		begun.join();
		AtomicReference<Throwable> second = new AtomicReference<>();
		Thread waiting = new Thread(() -> second.set(catchThrowable(() -> sessions.require(claim, later()))));
		waiting.start();
		EtcdEngines.eventually().until(() -> waiting.getState() == Thread.State.TIMED_WAITING);
		waits.complete(null);
		waiting.join();
		assertThat(first).failsWithin(Duration.ofMinutes(1));
		assertThat(second.get()).hasMessageContaining("no connection to http://one");
	}

	private static Session require(Sessions sessions, Claim claim) {
		try {
			return sessions.require(claim, later());
		}
		catch (EtcdException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@ParameterizedTest
	@ValueSource(longs = { 0, 999_999 })
	void settingsHaveLimits(long tooShort) {
		Duration least = Duration.ofMillis(3);
		Duration session = Duration.ofMillis(8);
		assertThat(new EtcdSettings("ns", session, least, Duration.ofMillis(1)).sessionTimeout()).isEqualTo(session);
		assertThatIllegalArgumentException()
			.isThrownBy(() -> new EtcdSettings("ns", session.minusNanos(1), least, Duration.ofMillis(1)))
			.withMessageContaining("leasehold.etcd.session-timeout (PT0.007999999S) must be at least PT0.008S");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> new EtcdSettings("ns", session, Duration.ofNanos(tooShort), least))
			.withMessageContaining("leasehold.etcd.call-timeout");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> new EtcdSettings("ns", session, least, Duration.ofNanos(tooShort)))
			.withMessageContaining("leasehold.etcd.poll-interval");
		assertThatIllegalArgumentException().isThrownBy(() -> new EtcdSettings(" ", session, least, least))
			.withMessageContaining("leasehold.namespace");
	}

	@ParameterizedTest
	@CsvSource({ "1, 16", "12, 16", "12.001, 32", "24, 32", "30, 40", "3600, 40" })
	void sessionIsAsLongAsALeaseNeeds(BigDecimal lease, int session) {
		EtcdSettings settings = new EtcdSettings("ns", Duration.ofSeconds(40), Duration.ofSeconds(6),
				Duration.ofSeconds(1));
		assertThat(settings.sessionFor(Duration.ofMillis(lease.movePointRight(3).longValue()))).hasSeconds(session);
	}

	private static long later() {
		return Deadlines.after(Duration.ofMinutes(1));
	}

}
