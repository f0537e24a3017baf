package io.leasehold.engine.zookeeper;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.leasehold.engine.Access;
import io.leasehold.engine.zookeeper.AwaitedChange.Effect;
import io.leasehold.engine.zookeeper.AwaitedChange.Kind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class NodeOrderTests {

	@Test
	void numberOfTheServerDecidesAndNotTheRestOfTheName() {
		NodeOrder order = order("_c_z-1:x:0000000009", "_c_a-3:x:0000000013", "_c_b-2:x:0000000012",
				"_c_c-0:x:0000000003");
		assertThat(order.holders()).containsExactly("/k/_c_c-0:x:0000000003");
		assertThat(order.awaited("_c_b-2:x:0000000012"))
			.isEqualTo(new AwaitedChange("/k/_c_z-1:x:0000000009", Kind.REMOVAL, Effect.LIKELY));
	}

	@Test
	void numbersMayOverflow() {
		NodeOrder order = order("_c_b-2:s:-2147483648", "_c_a-1:x:2147483647");
		assertThat(order.holders()).containsExactly("/k/_c_a-1:x:2147483647");
		assertThat(order.awaited("_c_b-2:s:-2147483648"))
			.isEqualTo(new AwaitedChange("/k/_c_a-1:x:2147483647", Kind.REMOVAL, Effect.CERTAIN));
	}

	/** The mark of a grant that lingers is no part of its access. */
	@Test
	void holderThatLingersIsExclusive() {
		NodeOrder order = order("_c_a-1:x~:0000000001", "_c_b-1:s:0000000002");
		assertThat(order.holders()).containsExactly("/k/_c_a-1:x~:0000000001");
		assertThat(order.held()).isEqualTo(Access.EXCLUSIVE);
		assertThat(order.lingering()).isEqualTo("/k/_c_a-1:x~:0000000001");
		assertThat(order("_c_b-1:s:0000000002", "_c_a-1:x~:0000000003").lingering()).isNull();
	}

	@Test
	void freeKeyHasNoOwner() {
		assertThat(order().holders()).isEmpty();
	}

	@Test
	void nodeThatDoesNotTellItsAccessIsExclusive() {
		NodeOrder order = order("_c_a-10:0000000001", "_c_b-1:s:0000000002", "_c_c-1:all:0000000003");
		assertThat(order.held()).isEqualTo(Access.EXCLUSIVE);
		assertThat(order.holders()).containsExactly("/k/_c_a-10:0000000001");
		assertThat(order("_c_b-1:s:0000000002", "_c_c-1:all:0000000003").holders())
			.containsExactly("/k/_c_b-1:s:0000000002");
	}

	/** Such as the children of another application's node. */
	@Test
	void nodeWithoutANumberIsIgnored() {
		assertThat(order("member", "a:", ":", "~", "", "a:x:", "a:x:9999999999", "a:x:0000000001b", "0000000001",
				":0000000001", "1")
			.holders()).isEmpty();
		NodeOrder order = order("member", "_c_a-1:x:0000000002", "_c_b-1:x:0000000003");
		assertThat(order.holders()).containsExactly("/k/_c_a-1:x:0000000002");
		assertThat(order.awaited("_c_b-1:x:0000000003"))
			.isEqualTo(new AwaitedChange("/k/_c_a-1:x:0000000002", Kind.REMOVAL, Effect.CERTAIN));
	}

	@ParameterizedTest
	@CsvSource({ "x, 1", "x x, 1", "x s, 1", "s s s, 3", "s s x s, 2", "3 3 3 3, 3", "3 3 x 3, 2", "3 2 3, 1", "1 1, 1",
			"s 3 s, 1", "2 s, 1" })
	void thoseFromTheFirstOnThatGoTogetherHoldTheKey(String codes, int holders) {
		List<String> names = names(codes.split(" "));
		assertThat(new NodeOrder("/k", names).holders())
			.containsExactlyElementsOf(names.subList(0, holders).stream().map((name) -> "/k/" + name).toList());
	}

	@ParameterizedTest
	@CsvSource({ "x x, 0, REMOVAL, CERTAIN", "x x x, 1, REMOVAL, LIKELY", "s x, 0, REMOVAL, CERTAIN",
			"s s x, 1, REMOVAL, UNKNOWN", "x s s s, 0, REMOVAL, CERTAIN", "s x s x s s, 3, REMOVAL, LIKELY",
			"3 3 s, 1, REMOVAL, UNKNOWN", "x 2 2, 0, REMOVAL, CERTAIN", "x 2 2 2, 2, GRANT, UNKNOWN",
			"2 2 2, -1, CHILDREN, UNKNOWN", "2 2 2 2, 2, GRANT, UNKNOWN", "2 2 x 2, 2, REMOVAL, UNKNOWN",
			"2 s s, 0, REMOVAL, CERTAIN", "1 1 1, 1, REMOVAL, UNKNOWN", "x s, 0, REMOVAL, CERTAIN" })
	void lastOneWatchesAsLittleAsPossible(String codes, int watched, Kind kind, Effect effect) {
		List<String> names = names(codes.split(" "));
		String path = (watched < 0) ? "/k" : "/k/" + names.get(watched);
		assertThat(new NodeOrder("/k", names).awaited(names.get(names.size() - 1)))
			.isEqualTo(new AwaitedChange(path, kind, effect));
	}

	/** It may have been seen to wait, by the node behind it. */
	@ParameterizedTest
	@CsvSource({ "2 2, 0, true", "2 2, 1, false", "3 2 2, 1, true", "2 2 3, 1, false", "2 x 2, 0, false",
			"s s, 0, false", "x x, 0, false", "2, 0, false" })
	void grantOfAPermitIsAwaitedByTheNextNodeOfItsNumber(String codes, int node, boolean awaited) {
		List<String> names = names(codes.split(" "));
		assertThat(new NodeOrder("/k", names).isAwaited(names.get(node))).isEqualTo(awaited);
	}

	/** Whatever goes: all lines of five nodes, and all that may be left of them. */
	@Test
	void noClaimHasTheKeyWhileItsObstacleIsUnchanged() {
		lines(5).forEach((codes) -> {
			List<String> before = names(codes);
			String last = before.get(before.size() - 1);
			AwaitedChange awaited = new NodeOrder("/k", before).awaited(last);
			for (int left = 1 << (before.size() - 1); awaited != null && left < 1 << before.size(); left++) {
				List<String> after = selected(before, left);
				if (isUnchanged(awaited, before, after)) {
					assertThat(new NodeOrder("/k", after).awaited(last)).as("%s, then %s", before, after).isNotNull();
				}
			}
		});
	}

	/** Whatever else was removed or not. */
	@Test
	void claimHasTheKeyAfterAChangeOfCertainEffect() {
		lines(5).forEach((codes) -> {
			List<String> before = names(codes);
			String last = before.get(before.size() - 1);
			AwaitedChange awaited = new NodeOrder("/k", before).awaited(last);
			boolean certain = awaited != null && awaited.effect() == Effect.CERTAIN;
			for (int left = 1 << (before.size() - 1); certain && left < 1 << before.size(); left++) {
				List<String> after = selected(before, left);
				if (!isUnchanged(awaited, before, after)) {
					assertThat(new NodeOrder("/k", after).awaited(last)).as("%s, then %s", before, after).isNull();
				}
			}
		});
	}

	private static boolean isUnchanged(AwaitedChange awaited, List<String> before, List<String> after) {
		return switch (awaited.kind()) {
			case CHILDREN -> before.equals(after);
			case REMOVAL -> after.contains(awaited.path().substring("/k/".length()));
			case GRANT -> after.contains(awaited.path().substring("/k/".length()))
					&& !new NodeOrder("/k", after).holders().contains(awaited.path());
		};
	}

	private static Stream<String[]> lines(int length) {
		String[] codes = { "x", "s", "2", "3" };
		return IntStream.range(0, 1 << (2 * length))
			.mapToObj((line) -> IntStream.range(0, length)
				.mapToObj((i) -> codes[(line >> (2 * i)) & 3])
				.toArray(String[]::new));
	}

	private static List<String> selected(List<String> names, int bits) {
		return IntStream.range(0, names.size()).filter((i) -> (bits >> i & 1) == 1).mapToObj(names::get).toList();
	}

	private static List<String> names(String... codes) {
		List<String> names = new ArrayList<>();
		for (String code : codes) {
			names.add("_c_n-1:%s:%010d".formatted(code, names.size()));
		}
		return names;
	}

	private static NodeOrder order(String... names) {
		return new NodeOrder("/k", Arrays.asList(names));
	}

}
