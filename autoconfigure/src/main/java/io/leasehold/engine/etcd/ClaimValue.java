package io.leasehold.engine.etcd;

import java.time.Duration;
import java.time.Instant;

import io.leasehold.engine.Claim;
import io.leasehold.engine.Holder;

/**
 * Value of a claim's key, one part a line: claim token, time in milliseconds by the
 * server's clock, lease in milliseconds, and minimum hold.
 */
final class ClaimValue {

	/** Value of a key whose claim has ended, and that stays for a minimum hold. */
	static final String CLOSED = "-";

	/** Minimum hold that ends with the key's present lease. */
	private static final String BY_LEASE = "lease";

	private ClaimValue() {
	}

	static boolean isClosed(String value) {
		return value.equals(CLOSED);
	}

	/** Return the value of a claim without a minimum hold. */
	static String of(Claim claim, Instant time) {
		return of(claim, time, "0");
	}

	/** Return the value of a claim whose minimum hold ends with the key's lease. */
	static String heldByLease(Claim claim, Instant time) {
		return of(claim, time, BY_LEASE);
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
		String[] parts = key.value().split("\n");
		return Holder.of(parts[0], key.created(), Instant.ofEpochMilli(number(parts, 1)), null);
	}

	/** Return whether the key's lease ends with its minimum hold. */
	static boolean isHeldByLease(String value) {
		return value.endsWith("\n" + BY_LEASE);
	}

	/** Return how long a key has to stay at most after a forced release. */
	static Duration rest(String value) {
		return Duration.ofMillis(number(value.split("\n"), 3));
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
