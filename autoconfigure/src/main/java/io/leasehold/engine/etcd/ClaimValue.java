package io.leasehold.engine.etcd;

import java.time.Duration;
import java.time.Instant;
import java.util.Set;

import io.leasehold.engine.Claim;
import io.leasehold.engine.Holder;
import io.leasehold.engine.Owner;
import org.jspecify.annotations.Nullable;

/**
 * Value of a claim's key, one part a line: claim token, time of the grant in milliseconds
 * by the clock of the process, lease in milliseconds, minimum hold, and the session
 * without which the claim has ended. A key whose claim has ended, and that stays for a
 * minimum hold, is closed: its value begins with a space, and the only line after the
 * time of the grant is the time of the release, if there was one. If another owner keeps
 * the key now, its value begins with two spaces.
 */
final class ClaimValue {

	/** Text that is greater than each closed value, and less than each other one. */
	static final String LEAST_OPEN = "!"; // no token begins with a space

	/** Text that is greater than each value of another owner, and less than others. */
	static final String LEAST_OWN = " !";

	private static final String CLOSED = " ";

	private static final String REPLACED = "  ";

	/** Minimum hold that ends with the key's present lease. */
	private static final String BY_LEASE = "lease";

	private ClaimValue() {
	}

	static boolean isClosed(String value) {
		return value.startsWith(CLOSED);
	}

	/** Return whether another owner than that of its claim keeps a closed key. */
	static boolean isReplaced(String value) {
		return value.startsWith(REPLACED);
	}

	/** Return the value of a closed key that another owner keeps from now on. */
	static String replaced(Owner owner, Instant time) {
		return closed(CLOSED + owner.token(), time.toEpochMilli(), time);
	}

	/** Return the value of a key whose holder loses it by force. */
	static String closed(String value, Instant released) {
		String[] parts = parts(value);
		return closed(parts[0], number(parts, 1), released);
	}

	/**
	 * Return the value of a key after the end of its claim.
	 * @param released time of the release, {@code null} if the lease expired
	 */
	static String closed(Claim claim, Instant granted, @Nullable Instant released) {
		return closed(claim.owner().token(), granted.toEpochMilli(), released);
	}

	private static String closed(String token, long granted, @Nullable Instant released) {
		String value = CLOSED + token + "\n" + granted;
		return (released != null) ? value + "\n" + released.toEpochMilli() : value;
	}

	/** Return the value of a claim without a minimum hold. */
	static String of(Claim claim, Instant time) {
		return of(claim, time, "0");
	}

	/**
	 * Return the value of a claim whose minimum hold ends with the key's lease. With a
	 * lock delay, the claim does not end at once with its session.
	 */
	static String heldByLease(Claim claim, Instant time, Session session) {
		String value = of(claim, time, BY_LEASE);
		return claim.lockDelay().isZero() ? value + "\n" + session.lease() : value;
	}

	/** Return the value of a claim with a rest of its minimum hold, zero for none. */
	static String held(Claim claim, Instant time, Duration rest) {
		return of(claim, time, String.valueOf(Math.max(0, rest.toMillis())));
	}

	private static String of(Claim claim, Instant time, String minHold) {
		return "%s\n%s\n%s\n%s".formatted(claim.owner().token(), time.toEpochMilli(), claim.lease().toMillis(),
				minHold);
	}

	static Holder holder(KeyValue key) {
		String[] parts = parts(key.value());
		return Holder.of(parts[0].strip(), key.created(), Instant.ofEpochMilli(number(parts, 1)), null);
	}

	/**
	 * Return the time of the release in a closed value, {@code null} if the lease
	 * expired.
	 */
	static @Nullable Instant released(String value) {
		String[] parts = parts(value);
		return (parts.length > 2) ? Instant.ofEpochMilli(number(parts, 2)) : null;
	}

	/** Return whether the key's lease ends with its minimum hold. */
	static boolean isHeldByLease(String value) {
		String[] parts = parts(value);
		return parts.length > 3 && parts[3].equals(BY_LEASE);
	}

	/** Return the session without which a claim has ended, zero for none. */
	static long session(String value) {
		return number(parts(value), 4);
	}

	/**
	 * Return whether the claim of a key has ended.
	 * @param sessions ids of sessions that have ended
	 */
	static boolean hasEnded(String value, Set<Long> sessions) {
		return isClosed(value) || sessions.contains(session(value));
	}

	/** Return how long a key has to stay at most after a forced release. */
	static Duration rest(String value) {
		return Duration.ofMillis(number(parts(value), 3));
	}

	private static String[] parts(String value) {
		return value.split("\n", -1);
	}

	/** Return a number, zero in a value that was not written by Leasehold. */
	private static long number(String[] parts, int index) {
		try {
			return (index < parts.length) ? Long.parseLong(parts[index]) : 0;
		}
		catch (NumberFormatException ex) {
			return 0;
		}
	}

}
