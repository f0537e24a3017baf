package io.leasehold.test.contract;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.assertj.core.api.ThrowableAssert;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import io.leasehold.engine.Access;
import io.leasehold.engine.Capability;
import io.leasehold.engine.Claim;
import io.leasehold.engine.HeldKeys;
import io.leasehold.engine.HeldKeys.HeldKey;
import io.leasehold.engine.HeldKeys.Page;
import io.leasehold.engine.Holder;
import io.leasehold.engine.LockEngine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The part of the contract that is about the list of held keys. Its tests do nothing for
 * an engine that cannot {@linkplain LockEngine#heldKeys() list its keys}.
 */
abstract class HeldKeysContract extends EngineFormsContract {

	private static final Duration LONG = Duration.ofMinutes(5);

	/** More than the pages of any test. */
	private static final int MOST_PAGES = 10_000;

	@Test
	void keysOfAllProcessesAreListedWithTheirHolders() {
		Process one = process();
		Process other = process();
		HeldKeys keys = process().engine().heldKeys();
		if (keys == null) {
			return;
		}
		assertThat(list(keys, "")).isEmpty();
		List<String> held = new ArrayList<>(List.of("one", "other"));
		one.granted(claim(one, "one", Access.EXCLUSIVE));
		other.granted(claim(other, "other", Access.EXCLUSIVE));
		other.begin(Claims.waiting(claim(other, "one", Access.EXCLUSIVE))).close();
		if (one.has(Capability.SHARED)) {
			held.add("shared");
			Stream.of(one, other).forEach((process) -> process.granted(claim(process, "shared", Access.SHARED)));
		}
		if (one.has(Capability.PERMITS)) {
			held.add("permits");
			Stream.of(one, other, one)
				.forEach((process) -> process.granted(claim(process, "permits", Access.permits(4))));
		}
		if (one.has(Capability.LINGER)) {
			held.add("lingers");
			Claim exclusive = claim(one, "lingers", Access.EXCLUSIVE);
			one.granted(
					new Claim(exclusive.key(), exclusive.owner(), exclusive.terms(), false, exclusive.since(), true));
		}
		Map<String, List<Holder>> listed = list(keys, "");
		assertThat(listed).containsOnlyKeys(held);
		listed.forEach((key, holders) -> {
			List<Holder> inspected = one.engine().inspect(new LockKey(key));
			assertThat(inspected).isNotEmpty();
			assertThat(holders).as(key)
				.usingRecursiveFieldByFieldElementComparatorIgnoringFields("since", "remaining")
				.isEqualTo(inspected);
			assertThat(holders.get(0).since()).isBetween(inspected.get(0).since().minusSeconds(60),
					inspected.get(0).since().plusSeconds(60));
			if (inspected.get(0).remaining() != null) {
				assertThat(holders.get(0).remaining()).isBetween(Duration.ofMinutes(3), LONG);
			}
		});
	}

	@Test
	void keysWithoutAHolderAreNotListed() {
		Process one = process();
		HeldKeys keys = process().engine().heldKeys();
		if (keys == null) {
			return;
		}
		Claim released = claim(one, "released", Access.EXCLUSIVE);
		one.granted(released);
		Duration minHold = one.has(Capability.MIN_HOLD) ? LONG : Duration.ZERO;
		Claim kept = new Claim(new LockKey("kept"), one.member().newOwner(), LONG, minHold, false, System.nanoTime());
		one.granted(kept);
		one.granted(one.claim(new LockKey("expired"), shortLease()));
		Access joint = one.has(Capability.SHARED) ? Access.SHARED : Access.EXCLUSIVE;
		one.granted(new Claim(new LockKey("expired too"), one.member().newOwner(),
				Terms.of(joint, shortLease(), Duration.ZERO, Duration.ZERO), false, System.nanoTime()));
		one.granted(claim(one, "held", Access.EXCLUSIVE));
		one.engine().release(released);
		one.engine().release(kept);
		eventually().until(() -> Stream.of("expired", "expired too")
			.allMatch((key) -> one.engine().inspect(new LockKey(key)).isEmpty()));
		assertThat(list(keys, "")).containsOnlyKeys("held");
		if (one.has(Capability.SHARED)) {
			Claim reader = claim(one, "read", Access.SHARED);
			one.granted(reader);
			assertThat(list(keys, "r")).containsOnlyKeys("read");
			one.engine().release(reader);
			assertThat(list(keys, "r")).isEmpty();
		}
	}

	/** No character of a prefix or of a namespace is a pattern. */
	@Fault({ 67, 74 })
	@Test
	void prefixAndNamespaceAreLiteral() {
		Process one = process();
		HeldKeys keys = process().engine().heldKeys();
		if (keys == null) {
			return;
		}
		List<String> texts = Stream
			.of("a", "a%", "a%b", "a%25", "a_b", "axb", "a*", "a*b", "a?", "a[x]", "a[^x]", "a{b", "a}b", "a{}", "{a}",
					"}", "%", "_", "*", "?", "[", "]", "\\", "a\\", "a\\*", "a/b", "/", "//", ".", "..", "'", "A", "a ",
					" a", "a:b", "a:holders", "a:fence", ":holders", "+", "a+b", "a!", "a0", "a\u0001", "a\r\nb",
					"a\u0085", "\u00e9", "e\u0301", "\ud83c\udf63", "\ud83c\udf63b", "\u4e2d".repeat(170),
					"x".repeat(512), "x".repeat(511) + "y")
			.toList();
		texts.forEach((text) -> one.granted(claim(one, text, Access.EXCLUSIVE)));
		for (String other : List.of("*", "?", "[a]", "x", ":x")) {
			Process elsewhere = process(this.namespace + other);
			elsewhere.granted(claim(elsewhere, "elsewhere", Access.EXCLUSIVE));
			assertThat(list(elsewhere.engine().heldKeys(), "")).as(other).containsOnlyKeys("elsewhere");
		}
		assertThat(list(keys, "")).containsOnlyKeys(texts);
		for (String prefix : texts) {
			assertThat(list(keys, prefix)).as("prefix '%s'", prefix)
				.containsOnlyKeys(texts.stream().filter((text) -> text.startsWith(prefix)).toList());
		}
		assertThat(list(keys, "ab")).isEmpty();
	}

	/** Keys come and go between the pages of a listing. */
	@Test
	void grantThatLastsThroughoutTheListingIsOnOneOfItsPages() {
		Process one = process();
		Process other = process();
		HeldKeys keys = process().engine().heldKeys();
		if (keys == null) {
			return;
		}
		List<String> lasting = IntStream.range(0, 250).mapToObj((i) -> "page:" + i).toList();
		lasting.forEach((key) -> responded(() -> one.granted(claim(one, key, Access.EXCLUSIVE))));
		TreeSet<String> listed = new TreeSet<>();
		Deque<Claim> passing = new ArrayDeque<>();
		int pages = 0;
		String next = null;
		do {
			for (int i = 0; i < 5; i++) {
				Claim coming = claim(other, "page:%s:%s".formatted(pages, i), Access.EXCLUSIVE);
				responded(() -> other.granted(coming));
				passing.add(coming);
			}
			while (passing.size() > 12) {
				Claim going = passing.remove();
				responded(() -> other.engine().release(going));
			}
			Page page = page(keys, "page:", next, 20);
			page.keys().forEach((held) -> listed.add(held.key().value()));
			next = page.next();
			pages++;
		}
		while (next != null && pages < MOST_PAGES);
		assertThat(next).isNull();
		assertThat(pages).isGreaterThan(1);
		assertThat(listed).containsAll(lasting).allMatch((key) -> key.startsWith("page:"));
	}

	@Test
	void listOfAClosedEngineFails() throws Exception {
		Process one = process();
		LockEngine engine = one.engine();
		HeldKeys keys = engine.heldKeys();
		if (keys == null || !(engine instanceof AutoCloseable)) {
			return;
		}
		one.close();
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> keys.list("", null, 10))
			.withMessage("Engine '%s' is closed", engine.name())
			.matches((failure) -> !failure.isRetryable() && failure.getKey() == null);
	}

	@Test
	void positionThatNoPageReturnedIsRejectedOrIgnored() {
		Process one = process();
		HeldKeys keys = process().engine().heldKeys();
		if (keys == null) {
			return;
		}
		IntStream.range(0, 20).forEach((i) -> one.granted(claim(one, "page:" + i, Access.EXCLUSIVE)));
		String next = Objects.requireNonNull(page(keys, "", null, 1).next());
		List<String> positions = new ArrayList<>(
				List.of("", "no position", "/", "0", "%", "1f-0-0", "1f-0-99999999999999999999999", "zz"));
		for (String number : List.of("18446744073709551615", "18446744073709551616", "99999999999999999999", "x")) {
			positions.add(next.replaceFirst("\\d+$", number));
		}
		for (String position : positions) {
			Throwable failure = ThrowableAssert.catchThrowable(() -> keys.list("", position, 10));
			assertThat(failure).as(position)
				.satisfiesAnyOf((none) -> assertThat(none).isNull(),
						(rejected) -> assertThat(rejected).isInstanceOf(IllegalArgumentException.class)
							.hasMessageContaining(position));
		}
	}

	/** Where a position is the name of a key, it could hide keys of another prefix. */
	@Test
	void positionAmongTheKeysOfAnotherPrefixIsRejected() {
		Process one = process();
		HeldKeys keys = process().engine().heldKeys();
		if (keys == null) {
			return;
		}
		List.of("a", "zz:1", "zz:2").forEach((key) -> one.granted(claim(one, key, Access.EXCLUSIVE)));
		String position = page(keys, "zz:", null, 1).next();
		if (position != null && position.contains("zz")) {
			assertThatExceptionOfType(IllegalArgumentException.class).isThrownBy(() -> keys.list("a", position, 10))
				.withMessageContaining(position);
		}
	}

	@Test
	void awaitedKeysAreListedWithTheClaimsThatWait() {
		Process one = process();
		Process other = process();
		HeldKeys keys = process().engine().heldKeys();
		if (keys == null || keys.listAwaited(null, 10) == null) {
			return;
		}
		one.granted(claim(one, "awaited", Access.EXCLUSIVE));
		one.granted(claim(one, "not awaited", Access.EXCLUSIVE));
		Claim first = waiting(other, "awaited", "buyer-1", Access.EXCLUSIVE);
		Claim second = waiting(one, "awaited", "buyer-2", Access.EXCLUSIVE);
		Instant before = Instant.now();
		other.begin(first).close();
		one.begin(second).close();
		List<String> awaited = new ArrayList<>(List.of("awaited"));
		if (one.has(Capability.SHARED)) {
			awaited.add("shared");
			Stream.of(one, other).forEach((process) -> process.granted(claim(process, "shared", Access.SHARED)));
			other.begin(waiting(other, "shared", "writer", Access.EXCLUSIVE)).close();
			one.begin(waiting(one, "shared", "reader", Access.SHARED)).close();
		}
		if (one.has(Capability.PERMITS)) {
			one.granted(claim(one, "permits", Access.permits(1)));
			other.begin(waiting(other, "permits", "buyer-1", Access.permits(1))).close();
		}
		Map<String, HeldKey> listed = awaited(keys);
		assertThat(listed).containsOnlyKeys(awaited);
		listed.forEach((key, held) -> assertThat(held.holders()).as(key)
			.usingRecursiveFieldByFieldElementComparatorIgnoringFields("since", "remaining")
			.isEqualTo(one.engine().inspect(new LockKey(key)))
			.allMatch((holder) -> holder.member().equals(one.member().id()) || key.equals("shared")));
		List<Holder> waiters = listed.get("awaited").waiters();
		assertThat(waiters).extracting(Holder::thread).containsExactly("buyer-1", "buyer-2");
		assertThat(waiters).extracting(Holder::member).containsExactly(other.member().id(), one.member().id());
		assertThat(waiters).extracting(Holder::since)
			.allSatisfy((since) -> assertThat(since).isBetween(before.minusSeconds(60), Instant.now().plusSeconds(60)));
		if (one.has(Capability.SHARED)) {
			assertThat(listed.get("shared").waiters()).extracting(Holder::thread).containsExactly("writer", "reader");
		}
		other.engine().release(first);
		assertThat(awaited(keys).get("awaited").waiters()).extracting(Holder::thread).containsExactly("buyer-2");
		one.engine().release(second);
		assertThat(awaited(keys)).doesNotContainKey("awaited");
	}

	private Map<String, HeldKey> awaited(HeldKeys keys) {
		Map<String, HeldKey> listed = new LinkedHashMap<>();
		String next = null;
		do {
			String after = next;
			Page page = responded(() -> Objects.requireNonNull(keys.listAwaited(after, 500)));
			page.keys().forEach((held) -> listed.put(held.key().value(), held));
			next = page.next();
		}
		while (next != null);
		return listed;
	}

	private static Claim waiting(Process process, String key, String thread, Access access) {
		return new Claim(new LockKey(key), process.member().newOwner(thread),
				Terms.of(access, LONG, Duration.ZERO, Duration.ZERO), true, System.nanoTime());
	}

	/** Follow the pages to the end; each key is on one of them. */
	private Map<String, List<Holder>> list(@Nullable HeldKeys keys, String prefix) {
		Map<String, List<Holder>> listed = new LinkedHashMap<>();
		String next = null;
		int pages = 0;
		do {
			Page page = page(keys, prefix, next, 500);
			for (HeldKey held : page.keys()) {
				assertThat(held.holders()).as(held.key().value()).isNotEmpty();
				assertThat(listed.put(held.key().value(), held.holders())).as(held.key().value()).isNull();
			}
			next = page.next();
		}
		while (next != null && pages++ < MOST_PAGES);
		assertThat(next).isNull();
		return listed;
	}

	private Page page(@Nullable HeldKeys keys, String prefix, @Nullable String after, int limit) {
		assertThat(keys).isNotNull();
		return responded(() -> keys.list(prefix, after, limit));
	}

	private static Claim claim(Process process, String key, Access access) {
		return new Claim(new LockKey(key), process.member().newOwner(),
				Terms.of(access, LONG, Duration.ZERO, Duration.ZERO), false, System.nanoTime());
	}

}
