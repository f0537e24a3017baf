package io.leasehold.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * Holder of a key, for operators. While a JVM passes a grant on between its threads, this
 * is the first holder.
 *
 * @param member unique id of the member that made the claim, or {@code unknown}
 * @param application name of the application
 * @param host name of its host
 * @param process process id
 * @param thread name of the thread that made the claim
 * @param number the grant number
 * @param since time of the grant, by the store's clock. A store that queues requests may
 * show a grant after a wait up to a second early; after a longer wait, it shows the time
 * of the request until the holder's process has written that of the grant, which it does
 * soon; a write that the store rejects is not repeated
 * @param remaining rest of the lease, by the store's clock; {@code null} if the store
 * does not know when a lease ends, as with sessions
 * @param reserved how many numbers after the grant number belong to the grant
 * @param lingers whether the grant lingers: the store does not know whether it is in use
 */
public record Holder(String member, String application, String host, long process, String thread, long number,
		Instant since, @Nullable Duration remaining, int reserved, boolean lingers) {

	private static final Pattern TOKEN = Pattern.compile("(([^@]*)@([^:]*):(\\d{1,18}):[^/]*)/([^/]*)/.*");

	private static final String UNKNOWN = "unknown";

	/**
	 * Create a holder from the data in a store.
	 * @param token an {@linkplain Owner#token() owner's token}
	 * @param number the grant number
	 * @param since time of the grant
	 * @param remaining rest of the lease, {@code null} if the store does not know it
	 * @return the holder, with application {@code unknown} for a token of other origin
	 */
	public static Holder of(String token, long number, Instant since, @Nullable Duration remaining) {
		Matcher parts = TOKEN.matcher(token);
		if (!parts.matches()) {
			return new Holder(UNKNOWN, UNKNOWN, UNKNOWN, 0, UNKNOWN, number, since, remaining, 0, false);
		}
		return new Holder(parts.group(1), parts.group(2), parts.group(3), Long.parseLong(parts.group(4)),
				parts.group(5), number, since, remaining, 0, false);
	}

	/** Return whether its token is that of an owner. */
	public boolean isKnown() {
		return !this.member.equals(UNKNOWN);
	}

	/**
	 * Return this holder with a grant to which more than one number belongs.
	 * @param reserved how many numbers after the grant number belong to the grant
	 * @param lingers whether the grant still lingers
	 */
	public Holder withReserved(int reserved, boolean lingers) {
		return new Holder(this.member, this.application, this.host, this.process, this.thread, this.number, this.since,
				this.remaining, reserved, lingers);
	}

}
