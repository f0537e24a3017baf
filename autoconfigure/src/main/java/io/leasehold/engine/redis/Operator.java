package io.leasehold.engine.redis;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

import io.leasehold.LockKey;
import io.leasehold.engine.Holder;
import io.leasehold.engine.redis.connection.Lines;
import io.leasehold.engine.redis.connection.Script;
import org.jspecify.annotations.Nullable;

/**
 * Requests of operators: list the holders of a lock, and release it by force.
 *
 * @param lines lines to the primaries
 * @param namespace first part of all names in the store
 * @param retention fencing retention in milliseconds
 * @param inboxPrefix prefix of inbox channels
 */
record Operator(Lines lines, String namespace, String retention, String inboxPrefix) {

	List<Holder> inspect(LockKey key, long deadline) {
		return holders(Scripts.INSPECT, key, deadline);
	}

	List<Holder> forceRelease(LockKey key, long deadline) {
		return holders(Scripts.FORCE, key, deadline);
	}

	/** Run a script that returns the present or former holders of a lock. */
	private List<Holder> holders(Script<List<Object>> script, LockKey key, long deadline) {
		RedisKeys keys = RedisKeys.of(this.namespace, key);
		List<Object> response = this.lines.request(keys.lock(), deadline, (line) -> line.run(script, keys.of(""),
				new String[] { "", this.retention, this.inboxPrefix, "" }, deadline));
		List<Holder> holders = new ArrayList<>();
		for (int i = 0; i < response.size(); i += 2) {
			Holder holder = holder((String) response.get(i), (Long) response.get(i + 1));
			if (holder != null) {
				holders.add(holder);
			}
		}
		holders.sort(Comparator.comparingLong(Holder::number));
		return holders;
	}

	/** Parse a holder; {@code null} for a minimum hold or lock delay without a holder. */
	private static @Nullable Holder holder(String value, long kept) {
		Grant grant = Grant.parse(value);
		String claim = (grant != null) ? grant.claim() : "";
		long number = (grant != null) ? grant.number() : 0;
		Duration rest = Duration.ofMillis(Math.max(0, kept)).minus(ClaimName.lockDelay(claim));
		if (ClaimName.isOwnerless(claim) || rest.isNegative()) {
			return null;
		}
		return Holder.of(claim, number, Instant.EPOCH.plus(number, ChronoUnit.MICROS), rest);
	}

}
