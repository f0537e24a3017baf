package io.leasehold.engine.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.Renewal;
import io.leasehold.engine.RenewalOutcome;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisFuture;

/**
 * Extends many grants by one round trip, in scripts short enough not to hold up others.
 */
final class Renewer {

	private static final int KEYS_PER_SCRIPT = 500;

	private final String namespace;

	private final MonotonicClock clock;

	Renewer(String namespace, MonotonicClock clock) {
		this.namespace = namespace;
		this.clock = clock;
	}

	/**
	 * Extend grants.
	 * @return the outcomes in the same order
	 * @throws RedisException if the line is broken
	 */
	List<RenewalOutcome> renew(List<Renewal> renewals, Line line, long deadline) {
		List<Chunk> chunks = new ArrayList<>();
		for (int from = 0; from < renewals.size(); from += KEYS_PER_SCRIPT) {
			int to = Math.min(renewals.size(), from + KEYS_PER_SCRIPT);
			chunks.add(send(renewals.subList(from, to), line));
		}
		List<RenewalOutcome> outcomes = new ArrayList<>(renewals.size());
		for (Chunk chunk : chunks) {
			outcomes.addAll(chunk.receive(line, deadline));
		}
		return outcomes;
	}

	private Chunk send(List<Renewal> renewals, Line line) {
		String[] keys = new String[renewals.size()];
		String[] arguments = new String[2 * renewals.size()];
		for (int i = 0; i < keys.length; i++) {
			Renewal renewal = renewals.get(i);
			keys[i] = RedisKeys.of(this.namespace, renewal.claim().key()).lock();
			arguments[2 * i] = new Grant(renewal.number(), renewal.claim().owner().token()).toString();
			arguments[2 * i + 1] = Long.toString(renewal.lease().toMillis());
		}
		long sent = this.clock.nanoTime();
		return new Chunk(renewals, keys, arguments, sent, line.send(Script.RENEW, keys, arguments));
	}

	/** Renewals under way. */
	private record Chunk(List<Renewal> renewals, String[] keys, String[] arguments, long sent,
			RedisFuture<List<Object>> reply) {

		/**
		 * A line never repeats a request, so <em>not owner</em> is no echo of a replay.
		 */
		List<RenewalOutcome> receive(Line line, long deadline) {
			try {
				List<Object> answers = line.receive(Script.RENEW, this.keys, this.arguments, this.reply, deadline);
				List<RenewalOutcome> outcomes = new ArrayList<>(answers.size());
				for (int i = 0; i < answers.size(); i++) {
					outcomes.add(outcome((Long) answers.get(i), this.renewals.get(i).lease()));
				}
				return outcomes;
			}
			catch (RedisException ex) {
				return Collections.nCopies(this.renewals.size(), new RenewalOutcome.Unknown(ex));
			}
		}

		private RenewalOutcome outcome(long answer, Duration lease) {
			return (answer == 1) ? new RenewalOutcome.Renewed(MonotonicClock.validUntil(this.sent, lease))
					: new RenewalOutcome.NotOwner();
		}

	}

}
