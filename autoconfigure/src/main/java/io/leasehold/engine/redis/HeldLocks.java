package io.leasehold.engine.redis;

import java.math.BigInteger;
import java.time.Duration;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.leasehold.LockKey;
import io.leasehold.engine.HeldKeys;
import io.leasehold.engine.redis.connection.Line;
import io.leasehold.engine.redis.connection.Node;
import io.leasehold.engine.redis.connection.RedisFailure;
import io.leasehold.engine.support.Deadlines;
import io.leasehold.engine.support.OpenState;
import org.jspecify.annotations.Nullable;

/**
 * List of the held keys by {@code SCAN}, one primary after the other. A position is valid
 * until there are other primaries.
 *
 * @param operator requests the holders of the keys that were found
 * @param timeout maximum duration of a request
 */
record HeldLocks(Operator operator, OpenState state, Duration timeout) implements HeldKeys {

	private static final int MOST_STEPS = 100;

	/** Maximum number of keys that a step visits, about. */
	private static final int MOST_VISITED = 1000;

	private static final String BEGIN = "0";

	@Override
	public Page list(String prefix, @Nullable String after, int limit) {
		return list(prefix, after, limit, false);
	}

	@Override
	public Page listAwaited(@Nullable String after, int limit) {
		return list("", after, limit, true);
	}

	private Page list(String prefix, @Nullable String after, int limit, boolean awaited) {
		this.state.check(null);
		try {
			return list(prefix, after, limit, awaited, Deadlines.after(this.timeout));
		}
		catch (RedisFailure ex) {
			throw this.state.reason(null, ex.toEngineException("Redis", "list the held locks"));
		}
	}

	/** Visit one step at least, and others for half of the time at most. */
	private Page list(String prefix, @Nullable String after, int limit, boolean awaited, long deadline) {
		List<Node> primaries = this.operator.lines()
			.primaries(deadline)
			.stream()
			.sorted(Comparator.comparing(Node::toString))
			.toList();
		Position position = (after != null) ? Position.parse(after, primaries) : new Position(0, BEGIN);
		String pattern = RedisKeys.pattern(this.operator.namespace(), prefix);
		Map<LockKey, HeldKey> found = new LinkedHashMap<>();
		long until = System.nanoTime() + Deadlines.left(deadline) / 2;
		int visited = limit;
		for (int i = 0; i < MOST_STEPS && found.size() < limit && (i == 0 || System.nanoTime() - until < 0); i++) {
			Step step = new Step(position.cursor(), pattern, visited, awaited);
			int before = found.size();
			String cursor = this.operator.lines()
				.requestAt(primaries.get(position.primary()), deadline, (line) -> visit(step, found, line, deadline));
			visited = (found.size() > before) ? limit : Math.min(MOST_VISITED, 2 * visited);
			position = new Position(position.primary() + (cursor.equals(BEGIN) ? 1 : 0), cursor);
			if (position.primary() == primaries.size()) {
				return page(found, awaited, null);
			}
		}
		return page(found, awaited, position.of(primaries));
	}

	private static Page page(Map<LockKey, HeldKey> found, boolean awaited, @Nullable String next) {
		return new Page(found.values().stream().filter((held) -> held.isListed(awaited)).toList(), next);
	}

	/** Add the held locks of a step, and return the cursor of the next one. */
	private String visit(Step step, Map<LockKey, HeldKey> found, Line line, long deadline) {
		List<Object> response = line.scan(step.cursor(), step.pattern(), step.visited(), deadline);
		Set<RedisKeys> hits = new LinkedHashSet<>();
		for (Object name : (List<?>) response.get(1)) {
			RedisKeys keys = RedisKeys.parse((String) name);
			LockKey key = (keys != null) ? keys.key() : null;
			if (key != null && !found.containsKey(key)) {
				hits.add(keys);
			}
		}
		List<RedisKeys> locks = List.copyOf(hits);
		this.operator.inspectAll(locks, step.awaited(), line, deadline)
			.stream()
			.filter((held) -> held.isListed(false))
			.forEach((held) -> found.put(held.key(), held));
		return (String) response.get(0);
	}

	/** Arguments of one step. */
	private record Step(String cursor, String pattern, int visited, boolean awaited) {
	}

	/**
	 * Where the next step begins.
	 *
	 * @param primary index of the primary
	 * @param cursor the server's cursor there
	 */
	private record Position(int primary, String cursor) {

		private static final Pattern TEXT = Pattern.compile("([0-9a-f]{1,8})-(\\d{1,4})-(\\d{1,20})");

		/** Return the text of a position, which is valid for these primaries only. */
		String of(List<Node> primaries) {
			return "%s-%s-%s".formatted(digest(primaries), this.primary, this.cursor);
		}

		static Position parse(String text, List<Node> primaries) {
			Matcher parts = TEXT.matcher(text);
			if (!parts.matches() || !isCursor(parts.group(3))) {
				throw HeldKeys.noPosition(text);
			}
			int primary = Integer.parseInt(parts.group(2));
			if (!parts.group(1).equals(digest(primaries)) || primary >= primaries.size()) {
				throw new IllegalArgumentException(
						"The list of held locks cannot continue at '%s': there are other primaries now. Begin again"
							.formatted(text));
			}
			return new Position(primary, parts.group(3));
		}

		/** Return whether a number has 64 bits, as cursors have. */
		private static boolean isCursor(String digits) {
			return new BigInteger(digits).bitLength() <= Long.SIZE;
		}

		private static String digest(List<Node> primaries) {
			return Integer.toHexString(primaries.stream().map(Node::toString).toList().hashCode());
		}

	}

}
