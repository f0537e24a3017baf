package io.leasehold.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * Who holds a key, for operators. While a grant is passed on inside a JVM, this is its
 * first holder.
 *
 * @param application name of the application
 * @param host name of its host
 * @param process process id
 * @param thread name of the thread that made the claim
 * @param number the store's number of the grant
 * @param since moment of the grant by the store's clock
 * @param remaining rest of the lease, by the store's clock; {@code null} where the store
 * does not know when a lease ends, such as one that keeps locks by sessions
 */
public record Holder(String application, String host, long process, String thread, long number, Instant since,
		@Nullable Duration remaining) {

	private static final Pattern TOKEN = Pattern.compile("([^@]*)@([^:]*):(\\d+):[^/]*/([^/]*)/.*");

	/**
	 * Read a holder from what the store keeps.
	 * @param token an {@linkplain Owner#token() owner's token}
	 * @param number the store's number of the grant
	 * @param since moment of the grant
	 * @param remaining rest of the lease, {@code null} if the store does not know
	 * @return the holder; a token of foreign make is shown as application {@code unknown}
	 */
	public static Holder of(String token, long number, Instant since, @Nullable Duration remaining) {
		Matcher parts = TOKEN.matcher(token);
		if (!parts.matches()) {
			return new Holder("unknown", "unknown", 0, "unknown", number, since, remaining);
		}
		return new Holder(parts.group(1), parts.group(2), Long.parseLong(parts.group(3)), parts.group(4), number, since,
				remaining);
	}

}
