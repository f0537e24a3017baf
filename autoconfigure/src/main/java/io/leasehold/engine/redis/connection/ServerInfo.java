package io.leasehold.engine.redis.connection;

import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * Properties that a server reports about itself.
 *
 * @param values the values by their names; empty if the server reported nothing
 */
public record ServerInfo(Map<String, String> values) {

	private static final Pattern VERSION = Pattern.compile("(\\d{1,9})\\.(\\d{1,9})\\b.*");

	private static final int MAJOR = 6;

	private static final int MINOR = 2;

	/**
	 * Query a server.
	 * @param deadline reading of {@link System#nanoTime()} at which to stop waiting
	 * @throws RedisFailure if it rejected the query or did not respond
	 */
	public static ServerInfo query(Connection connection, long deadline) {
		return parse(Replies.await(connection.send("INFO"), deadline));
	}

	/** Parse the response to a query. */
	public static ServerInfo parse(@Nullable Object response) {
		Map<String, String> values = new HashMap<>();
		String.valueOf(response)
			.lines()
			.map((line) -> line.split(":", 2))
			.filter((parts) -> parts.length == 2)
			.forEach((parts) -> values.put(parts[0], parts[1]));
		return new ServerInfo(values);
	}

	/** Return a value, or another one if the server did not report it. */
	public String get(String name, String otherwise) {
		return this.values.getOrDefault(name, otherwise);
	}

	/**
	 * Check that the server executes the commands of the scripts, and is the only one
	 * that accepts writes. A value that is missing is not checked.
	 * @throws RedisFailure if it does not, or is not
	 */
	void checkSuitable() {
		String version = get("redis_version", "");
		if (isTooOld(version)) {
			throw RedisFailure.unsuitable(
					"The server has version %s. Locks need Redis %s.%s or later".formatted(version, MAJOR, MINOR));
		}
		if ("active-replica".equals(get("role", ""))) {
			throw RedisFailure.unsuitable("The server is an active replica of KeyDB. Its master accepts writes, too, "
					+ "so a lock could have two owners. Use servers without active-replica");
		}
	}

	private static boolean isTooOld(String version) {
		Matcher parts = VERSION.matcher(version);
		if (!parts.matches()) {
			return false;
		}
		int major = Integer.parseInt(parts.group(1));
		return major < MAJOR || (major == MAJOR && Integer.parseInt(parts.group(2)) < MINOR);
	}

}
