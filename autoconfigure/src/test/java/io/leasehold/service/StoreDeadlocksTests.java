package io.leasehold.service;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

import io.leasehold.LockDeadlocks;
import io.leasehold.LockKey;
import io.leasehold.engine.Access;
import io.leasehold.engine.AcquisitionOutcome.Busy;
import io.leasehold.engine.AcquisitionOutcome.Granted;
import io.leasehold.engine.Claim;
import io.leasehold.engine.HeldKeys;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.Owner;
import io.leasehold.engine.local.LocalLockEngine;
import io.leasehold.service.gate.GateRules;
import io.leasehold.test.contract.Terms;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link StoreDeadlocks} of processes that share a store.
 */
class StoreDeadlocksTests {

	private final LocalLockEngine store = new LocalLockEngine(MonotonicClock.SYSTEM);

	private final Member one = Member.of("one");

	private final Member two = Member.of("two");

	private final Member three = Member.of("three");

	@Test
	void cycleOfTwoProcessesIsFound() {
		holds(this.one, "payer", "order");
		holds(this.two, "packer", "stock");
		waits(this.one, "payer", "stock");
		assertThat(cycles()).isEmpty();
		waits(this.two, "packer", "order");
		assertThat(cycles()).containsExactlyInAnyOrder("one/payer: stock, two/packer: order");
	}

	/** Others wait for its keys as well, also before its own members. */
	@Test
	void threadThatWaitsForAMemberOfACycleIsNoMember() {
		holds(this.three, "visitor", "three");
		holds(this.one, "a", "first");
		holds(this.two, "a", "second");
		waits(this.three, "visitor", "first");
		waits(this.one, "a", "second");
		waits(this.two, "a", "first");
		waits(this.one, "visitor", "three");
		assertThat(cycles()).containsExactly("one/a: second, two/a: first");
	}

	@Test
	void chainIsNoDeadlock() {
		IntStream.range(0, 50).forEach((i) -> {
			holds(Member.of("p" + i), "t" + i, "k" + i);
		});
		holds(this.one, "a", "first");
		holds(this.two, "a", "second");
		holds(this.three, "a", "third");
		waits(this.one, "a", "second");
		waits(this.two, "a", "third");
		waits(this.two, "b", "first");
		waits(this.three, "b", "first");
		assertThat(cycles()).isEmpty();
	}

	@Test
	void severalCyclesAreFound() {
		holds(this.one, "a", "1");
		holds(this.two, "a", "2");
		holds(this.three, "a", "3");
		waits(this.one, "a", "2");
		waits(this.two, "a", "3");
		waits(this.three, "a", "1");
		holds(this.one, "b", "4");
		holds(this.three, "b", "5");
		waits(this.one, "b", "5");
		waits(this.three, "b", "4");
		assertThat(cycles()).containsExactlyInAnyOrder("one/a: 2, two/a: 3, three/a: 1", "one/b: 5, three/b: 4");
	}

	/** A writer waits for all readers. */
	@Test
	void readerIsAMember() {
		request(this.one, "a", "read", Access.SHARED, false);
		request(this.two, "a", "read", Access.SHARED, false);
		holds(this.three, "a", "other");
		waits(this.two, "a", "other");
		waits(this.three, "a", "read");
		assertThat(cycles()).containsExactly("two/a: other, three/a: read");
	}

	/** Another holder may release one. */
	@Test
	void permitIsNoPartOfACycle() {
		request(this.one, "a", "permit", Access.permits(1), false);
		holds(this.two, "a", "other");
		waits(this.one, "a", "other");
		request(this.two, "a", "permit", Access.permits(1), true);
		assertThat(cycles()).isEmpty();
	}

	/** Names that are not those of one blocked thread. */
	@ParameterizedTest
	@ValueSource(strings = { "", GateRules.ASYNC + "http-1", "a-name-that-is-too-long-to-be-stored-completely" })
	void callerWithoutANameOfItsOwnIsNoMember(String name) {
		assertThat("a-name-that-is-too-long-to-be-stored-completely").hasSizeGreaterThan(Owner.LONGEST_THREAD);
		holds(this.one, name, "order");
		holds(this.two, "packer", "stock");
		waits(this.one, name, "stock");
		waits(this.two, "packer", "order");
		assertThat(cycles()).isEmpty();
	}

	/** A process knows the waits for its locks itself, so a thread has passed one on. */
	@Test
	void cycleInsideAProcessIsAnError() {
		holds(this.one, "a", "first");
		holds(this.one, "b", "second");
		waits(this.one, "a", "second");
		waits(this.one, "b", "first");
		waits(this.one, "a", "first");
		assertThat(cycles()).isEmpty();
		holds(this.two, "a", "third");
		waits(this.one, "b", "third");
		waits(this.two, "a", "first");
		waits(this.one, "a", "third");
		assertThat(cycles()).containsExactly("one/a: third, two/a: first");
	}

	@Test
	void searchThatIsNotCompleteSaysSo() {
		for (int i = 0; i < 10_000; i++) {
			holds(this.one, "a", "key:" + i);
			waits(this.two, "a", "key:" + i);
		}
		assertThat(StoreDeadlocks.search(this.store.heldKeys()).complete()).isTrue();
		holds(this.one, "a", "another");
		waits(this.two, "a", "another");
		assertThat(StoreDeadlocks.search(this.store.heldKeys()).complete()).isFalse();
	}

	/** The waits of a page are not bounded further. */
	@Test
	void searchOfTooManyWaitsIsNotComplete() {
		for (int i = 0; i < 501; i++) {
			holds(this.one, "a", "key:" + i);
			for (int waiter = 0; waiter < 40; waiter++) {
				waits(this.two, "t" + waiter, "key:" + i);
			}
		}
		assertThat(StoreDeadlocks.search(this.store.heldKeys()).complete()).isFalse();
	}

	/** Such as for a server that has left the cluster meanwhile. */
	@Test
	void searchThatTheStoreCannotContinueIsNotComplete() {
		holds(this.one, "a", "first");
		holds(this.two, "a", "second");
		waits(this.one, "a", "second");
		waits(this.two, "a", "first");
		HeldKeys keys = this.store.heldKeys();
		LockDeadlocks found = StoreDeadlocks.search(new HeldKeys() {

			@Override
			public Page list(String prefix, @Nullable String after, int limit) {
				return keys.list(prefix, after, limit);
			}

			@Override
			public Page listAwaited(@Nullable String after, int limit) {
				if (after != null) {
					throw new IllegalArgumentException("there are other servers now");
				}
				return new Page(keys.listAwaited(null, limit).keys(), "2");
			}

		});
		assertThat(found.cycles()).hasSize(1);
		assertThat(found.complete()).isFalse();
	}

	@Test
	void storeThatDoesNotKnowWhichThreadsWaitIsNotSearched() {
		assertThat(StoreDeadlocks.search((prefix, after, limit) -> null)).as("list only").isNull();
	}

	private void holds(Member member, String thread, String key) {
		request(member, thread, key, Access.EXCLUSIVE, false);
	}

	private void waits(Member member, String thread, String key) {
		request(member, thread, key, Access.EXCLUSIVE, true);
	}

	private void request(Member member, String thread, String key, Access access, boolean waits) {
		assertThat(this.store.tryAcquire(new Claim(new LockKey(key), member.newOwner(thread),
				Terms.of(access, Duration.ofMinutes(5), Duration.ZERO, Duration.ZERO), waits, System.nanoTime())))
			.isInstanceOf(waits ? Busy.class : Granted.class);
	}

	/** The cycles, each from its first member in alphabetical order. */
	private List<String> cycles() {
		LockDeadlocks found = StoreDeadlocks.search(this.store.heldKeys());
		assertThat(found.complete()).isTrue();
		return found.cycles().stream().map((cycle) -> {
			List<String> waits = cycle.stream()
				.map((wait) -> "%s/%s: %s".formatted(wait.application(), wait.thread(), wait.key()))
				.toList();
			int first = waits
				.indexOf(waits.stream().filter((wait) -> wait.startsWith("one/")).findFirst().orElse(waits.get(0)));
			return String.join(", ",
					IntStream.range(0, waits.size()).mapToObj((i) -> waits.get((first + i) % waits.size())).toList());
		}).toList();
	}

}
