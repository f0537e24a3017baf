package io.leasehold.key;

import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

/**
 * Expressions, as users write them.
 */
final class KeyUses {

	private static final Iterable<Object> TWO = () -> List.<Object>of("b", "a").iterator();

	private static final Iterable<@Nullable Object> NULL = () -> Arrays.<@Nullable Object>asList("a", null).iterator();

	private static final Map<String, @Nullable String> MAP = new TreeMap<>(Map.of("b", "2", "a", "1"));

	private KeyUses() {
	}

	static void addTo(KeyCatalogue rows) {
		addCollections(rows.group("Several keys"));
		addCalls(rows.group("Expressions"));
	}

	private static void addCollections(KeyCatalogue rows) {
		Set<String> many = new HashSet<>(List.of("one", "two", "three", "four", "five", "six"));
		Map<String, @Nullable String> withNull = new LinkedHashMap<>(MAP);
		withNull.put("c", null);
		rows.use("#value", "object", "five,four,one,six,three,two", () -> Set.copyOf(many))
			.use("#value ", "object", "five,four,one,six,three,two", () -> many)
			.use("#value.keySet()", "object", "1,2,3", () -> Map.of(1, "a", 2, "b", 3, "c"))
			.use("#value.!['o:' + #this]", "object", "o:1,o:2", () -> new long[] { 2, 1, 2 })
			.use("#value.!['i:' + #this]", "object", "i:a,i:b", () -> TWO)
			.use("#value.![#this]", "object", "a,b", () -> TWO)
			.use("#value.!['o:' + key + value]", "object", "o:a1,o:b2", () -> MAP)
			.use("#value.!['m:' + #this.value]", "object", "m:1,m:2", () -> MAP)
			.use("#value?.!['o:' + #this]", "object", "o:1", () -> List.of(1));
		rows.refusedUse("#value.!['o:' + value]", "object", "null", () -> withNull)
			.refusedUse("#value.![value]", "object", "null", () -> withNull)
			.refusedUse("#value.!['i:' + #this]", "object", "null", () -> NULL)
			.refusedUse("#value?.!['o:' + #this]", "object", "no elements",
					() -> Optional.of(Arrays.<@Nullable Object>asList("a", null)))
			.refusedUse("#value?.!['n:' + #this]", "object", "null", () -> null)
			.refusedUse("#value.!['t:' + #this]", "object", "no elements", () -> "text")
			.refusedUse("#value.!['d:' + #this]", "object", "BigDecimal", () -> new double[] { 1 })
			.refusedUse("#value.!['a' + #this].!['k:' + #this]", "object", "joins text inside", () -> List.of("a"))
			.refusedUse("#value", "object", "where one value is needed", () -> TWO);
	}

	private static void addCalls(KeyCatalogue rows) {
		rows.use("#root.method.name", "object", "object", () -> 1)
			.use("#root.args", "object", "1", () -> 1)
			.use("'v:' + #value + 1", "object", "v:11", () -> 1)
			.use("#value + 1", "object", "2", () -> 1)
			.use("'t:' + #value.toString()", "object", "t:1.5", () -> 1.5)
			.use("'r:' + #p0", "root", "r:x", () -> "x")
			.use("'l:' + #value.length()", "object", "l:1", () -> "x");
		for (String own : List.of("#root", "'k:' + #root", "#root.toString()", "@keys.of(#root)", "{#root, 'a'}",
				"#root.hashCode()", "'k:' + (#root)")) {
			rows.refusedUse(own, "object", "uses #root", () -> 1);
		}
		for (String own : List.of("#this", "'k:' + #this", "#this.toString()", "@keys.of(#this)")) {
			rows.refusedUse(own, "object", "uses #this", () -> 1);
		}
		for (String own : List.of("#root ", "'k:' + #root", "'k:' + #root.length()", "'k:' + #root.method.name")) {
			rows.refusedUse(own, "root", "#p0", () -> "x");
		}
		rows.refusedUse("#target", "object", "does not override toString()", () -> 1)
			.refusedUse("'k:' + #root.target", "object", "does not override toString()", () -> 1)
			.refusedUse("'k:' + #root.targetClass", "object", "getName()", () -> 1)
			.refusedUse("'k:' + #root.args", "object", "where one value is needed", () -> 1)
			.refusedUse("'k:' + #value.toString()", "object", "identity hash code", Object::new)
			.refusedUse("#value.toString()", "object", "identity hash code", () -> new int[0])
			.refusedUse("'k:'.concat(#value)", "object", "Join the parts with +", () -> new java.util.Date(0))
			.refusedUse("#value + 0.5", "object", "BigDecimal", () -> 1)
			.refusedUse("#value + 1 + ':' + #value", "object", "BigDecimal", () -> 0.5)
			.refusedUse("'k:' + 1.5", "object", "BigDecimal", () -> 1)
			.refusedUse("'k:' + #value", "optional", "orElseThrow()", () -> Optional.of(1))
			.refusedUse("#value", "optional", "orElseThrow()", () -> Optional.of(1))
			.refusedUse("{#value, 'a'}", "real", "BigDecimal", () -> 1.0)
			.refusedUse("{a: #value}", "object", "one value is needed", () -> 1);
	}

}
