package io.leasehold.engine.redis;

import io.leasehold.test.contract.Terms;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;

import io.leasehold.LockKey;
import io.leasehold.engine.Access;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Holder;
import io.leasehold.engine.KeptKeys;
import io.leasehold.engine.Member;
import io.leasehold.engine.redis.connection.Line;
import io.leasehold.engine.redis.connection.Lines;
import io.leasehold.engine.redis.connection.Node;
import io.leasehold.engine.redis.connection.SingleServer;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for what an {@link Operator} makes of the store's response.
 */
class OperatorTests {

	private static final LockKey KEY = new LockKey("k");

	private static final Duration DELAY = Duration.ofSeconds(2);

	private static final Node NODE = new Node("localhost", 1);

	private final Member member = Member.of("shop");

	@Test
	void freeLockHasNoHolders() {
		assertThat(inspect(List.of())).isEmpty();
	}

	@Test
	void holdersAreInTheOrderOfTheirNumbers() {
		String token = this.member.newOwner("buyer-1").token();
		List<Holder> holders = inspect(List.of("200:" + token, 700L, "100:" + token, 500L));
		assertThat(holders).extracting(Holder::number).containsExactly(100L, 200L);
		assertThat(holders).extracting(Holder::remaining)
			.containsExactly(Duration.ofMillis(500), Duration.ofMillis(700));
		assertThat(holders).extracting(Holder::thread).containsOnly("buyer-1");
		assertThat(holders).extracting(Holder::since)
			.containsExactly(Instant.EPOCH.plus(100, ChronoUnit.MICROS), Instant.EPOCH.plus(200, ChronoUnit.MICROS));
	}

	/** The time for which the store keeps a grant includes its lock delay. */
	@Test
	void grantInItsLockDelayHasNoHolder() {
		String claim = ClaimName.of(new Claim(KEY, this.member.newOwner(),
				Terms.of(Access.EXCLUSIVE, Duration.ofSeconds(9), Duration.ZERO, DELAY), false, 0));
		assertThat(inspect(List.of("1:" + claim, DELAY.toMillis() + 1))).singleElement()
			.extracting(Holder::remaining)
			.isEqualTo(Duration.ofMillis(1));
		assertThat(inspect(List.of("1:" + claim, DELAY.toMillis()))).singleElement()
			.extracting(Holder::remaining)
			.isEqualTo(Duration.ZERO);
		assertThat(inspect(List.of("1:" + claim, DELAY.toMillis() - 1))).isEmpty();
	}

	@Test
	void placeThatAMinHoldKeepsHasNoHolder() {
		assertThat(inspect(List.of("1:#x,500", 400L))).isEmpty();
	}

	@Test
	void placeShowsItsLastHolderAndTheTimeOfTheRelease() {
		String last = this.member.newOwner("job") + "/";
		for (String mark : List.of("", "!")) {
			KeptKeys.Kept released = kept("1000:#x,1000 " + mark + "2," + last);
			assertThat(released.last().application()).isEqualTo("shop");
			assertThat(released.last().thread()).isEqualTo("job");
			assertThat(released.last().number()).isEqualTo(1000);
			assertThat(released.last().since()).isEqualTo(Instant.ofEpochMilli(1));
			assertThat(released.released()).isEqualTo(Instant.ofEpochMilli(2));
			assertThat(kept("1000:#x,1000 " + mark + "0," + last).released()).as("lease ended").isNull();
			KeptKeys.Kept crashed = kept("1000:" + this.member.newOwner("job").token() + "#x,500,0 " + mark + "2");
			assertThat(crashed.last().thread()).isEqualTo("job");
			assertThat(crashed.released()).isNull();
		}
	}

	/** Written by something else: a place without an owner is one that was released. */
	@Test
	void placeWithoutDetailsWasReleased() {
		for (String mark : List.of("", " !")) {
			KeptKeys.Kept kept = kept("1000:#x,1000" + mark);
			assertThat(kept.last().application()).isEqualTo("unknown");
			assertThat(kept.last().number()).isEqualTo(1000);
			assertThat(kept.released()).isEqualTo(Instant.ofEpochMilli(1));
		}
	}

	private static KeptKeys.Kept kept(String value) {
		return Operator.kept(value, Duration.ofMillis(400));
	}

	/** A key without a lifetime has a negative rest. */
	@Test
	void valueNotWrittenByLeaseholdIsUnknown() {
		assertThat(inspect(List.of("someone", -1L))).singleElement().satisfies((holder) -> {
			assertThat(holder.application()).isEqualTo("unknown");
			assertThat(holder.number()).isZero();
			assertThat(holder.remaining()).isEqualTo(Duration.ZERO);
		});
	}

	private static List<Holder> inspect(List<Object> response) {
		Lines lines = new Lines(new SingleServer(NODE),
				(node) -> new Line(node, ScriptedConnection.responding(response), DELAY), Runnable::run);
		return new Operator(lines, "ns", "60000", new Notifications("ns:inbox:", WakeUp.AUTO)).inspect(KEY,
				System.nanoTime() + Duration.ofSeconds(20).toNanos());
	}

}
