package io.leasehold.engine.jdbc;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.leasehold.engine.Claim;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.RevocationListener;

/**
 * Reports of other processes about grants of this one, as they are published:
 * {@code revoke <number>:<row>} if a grant was revoked, which its number identifies
 * within its row, and {@code recall <mark>} if another process wants the key of a
 * lingering one. Anybody who is connected to the database can receive them, so they
 * contain no claim token. Thread-safe.
 */
final class GrantReports {

	/** Number of claims from which on old ones are removed. */
	static final int FEW = 64;

	/** Minimum of a mark. The number 1 marks a grant that was renewed. */
	static final long LEAST_MARK = 2;

	private static final Pattern REVOKED = Pattern.compile("revoke (\\d{1,18}):([0-9a-f]{64})");

	private static final Pattern RECALLED = Pattern.compile("recall (\\d{1,18})");

	private final JdbcSettings settings;

	private final MonotonicClock clock;

	private volatile RevocationListener listener = (number, claim) -> {
	};

	/** Claims whose grant may linger, by their marks. */
	private final Map<Long, Lingering> lingering = new ConcurrentHashMap<>();

	private volatile int many = FEW;

	GrantReports(JdbcSettings settings, MonotonicClock clock) {
		this.settings = settings;
		this.clock = clock;
	}

	/**
	 * Return the mark of a claim that lingers. It is computed from the claim token, so
	 * that each request of a claim has the same, but reveals nothing about it.
	 */
	static long mark(Claim claim) {
		byte[] digest = claim.key().digest(claim.owner().token());
		// 18 digits at most, so that the difference to a time cannot overflow
		return Math.max(LEAST_MARK, ByteBuffer.wrap(digest).getLong() >>> 5);
	}

	/** Return the payload that reports a revoked grant. */
	static String revoked(long number, RowId row) {
		return "revoke %s:%s".formatted(number, row);
	}

	/**
	 * Return the payload that requests the release of a lingering grant.
	 * @param mark {@linkplain #mark mark} of its claim
	 */
	static String recalled(long mark) {
		return "recall " + mark;
	}

	void reportTo(RevocationListener listener) {
		this.listener = listener;
	}

	/**
	 * Expect recalls of a claim's grant, if it lingers, from before its request on until
	 * its lease or a {@linkplain #forget removal}.
	 */
	void expect(Claim claim) {
		if (!claim.lingers()) {
			return;
		}
		long now = this.clock.nanoTime();
		if (this.lingering.size() >= this.many) {
			this.lingering.values().removeIf((old) -> now - old.until() > 0);
			this.many = Math.max(FEW, 2 * this.lingering.size());
		}
		Duration longest = claim.lease().plus(this.settings.longestCall());
		this.lingering.put(mark(claim), new Lingering(claim, now + longest.toNanos()));
	}

	void forget(Claim claim) {
		if (claim.lingers()) {
			this.lingering.remove(mark(claim));
		}
	}

	/** Return how many claims expect recalls. */
	int expected() {
		return this.lingering.size();
	}

	/** Process a payload, and return whether it is a report. */
	boolean receive(String payload) {
		Matcher revoked = REVOKED.matcher(payload);
		if (revoked.matches()) {
			String row = revoked.group(2);
			this.listener.revoked(Long.parseLong(revoked.group(1)),
					(claim) -> RowId.of(this.settings.namespace(), claim.key()).toString().equals(row));
			return true;
		}
		Matcher recalled = RECALLED.matcher(payload);
		if (recalled.matches()) {
			Lingering wanted = this.lingering.get(Long.valueOf(recalled.group(1)));
			if (wanted != null) {
				this.listener.recalled(wanted.claim());
			}
			return true;
		}
		return false;
	}

	private record Lingering(Claim claim, long until) {
	}

}
