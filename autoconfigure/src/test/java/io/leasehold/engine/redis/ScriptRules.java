package io.leasehold.engine.redis;

import java.util.List;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * Documented rules of services for the texts of scripts.
 */
public final class ScriptRules {

	/** Functions of Lua 5.1 that Lua 5.4 has not. */
	private static final List<String> OLD_FUNCTIONS = List.of("unpack", "setfenv", "getfenv", "loadstring",
			"table.getn", "table.maxn", "math.pow", "math.mod", "math.log10", "string.gfind");

	private static final Pattern LITERAL = Pattern.compile("KEYS\\[\\d+]");

	private ScriptRules() {
	}

	/**
	 * Return what the proxy of a Tair cluster reports of a text before it runs, or null.
	 */
	public static @Nullable String rejectionByTair(String text) {
		ScriptText script = ScriptText.of(text);
		if (script.hasOtherCalls() || !script.calls().stream().allMatch(ScriptText.Call::namesItsCommand)) {
			return "ERR bad lua script for redis cluster, first parameter of redis.call/redis.pcall must be a single "
					+ "literal string";
		}
		if (script.contains("unpack")
				|| script.calls().stream().anyMatch((call) -> call.command().contains("PUBLISH"))) {
			return "ERR bad lua script for redis cluster, unpack and pub/sub commands are not supported";
		}
		if (script.hasKeysInExpressions() || !hasLiteralKeys(script)) {
			return "ERR bad lua script for redis cluster, all the keys that the script uses should be passed using the "
					+ "KEYS array, and KEYS should not be in expression";
		}
		return null;
	}

	private static boolean hasLiteralKeys(ScriptText script) {
		return script.calls()
			.stream()
			.flatMap((call) -> call.keys().stream())
			.allMatch((key) -> LITERAL.matcher(key).matches());
	}

	/**
	 * Return what Dragonfly rejects, or null: keys that were not passed as keys, and
	 * functions that its version of Lua does not have.
	 * @param keys the number of keys that requests pass
	 */
	static @Nullable String rejectionByDragonfly(String text, int keys) {
		ScriptText script = ScriptText.of(text);
		if (hasUndeclaredKeys(script, keys)) {
			return "ERR script tried accessing undeclared key";
		}
		return OLD_FUNCTIONS.stream().filter(script::contains).findFirst().orElse(null);
	}

	private static boolean hasUndeclaredKeys(ScriptText script, int keys) {
		return !hasLiteralKeys(script) || script.greatestKey() > keys;
	}

	/**
	 * Return what ElastiCache Serverless rejects while a script runs, or null: keys that
	 * were not passed as keys, as in each cluster, and messages. A script continues after
	 * a message that it sends by {@code pcall}.
	 * @param keys the number of keys that requests pass
	 */
	static @Nullable String rejectionByServerless(String text, int keys) {
		ScriptText script = ScriptText.of(text);
		if (hasUndeclaredKeys(script, keys)) {
			return "ERR Script attempted to access a non local key in a cluster node";
		}
		return script.calls().stream().anyMatch((call) -> call.command().equals("PUBLISH") && !call.isProtected())
				? "ERR Script attempted to access keys that do not hash to the same slot" : null;
	}

	/** Return what ElastiCache Serverless rejects before a script runs, or null. */
	public static @Nullable String rejectionByServerless(List<String> keys) {
		if (keys.isEmpty()) {
			return "ERR Lua scripts without any input keys are not supported.";
		}
		return isOneSlot(keys) ? null : "CROSSSLOT Keys in request don't hash to the same slot";
	}

	/** Return what Tair rejects of the keys of a request, or null. */
	static @Nullable String rejectionByTair(List<String> keys) {
		if (keys.isEmpty()) {
			return "ERR for redis cluster, eval/evalsha number of keys can't be negative or zero";
		}
		return isOneSlot(keys) ? null : "ERR eval/evalsha command keys must be in same slot";
	}

	/** Different hash tags count as different slots. */
	private static boolean isOneSlot(List<String> keys) {
		return keys.stream().map((key) -> key.replaceAll(".*\\{(.*)}.*", "$1")).distinct().count() == 1;
	}

}
