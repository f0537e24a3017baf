package io.leasehold.engine.redlock;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.leasehold.LockKey;
import io.leasehold.engine.Holder;
import io.leasehold.engine.redis.connection.RedisFailure;
import io.leasehold.engine.redis.connection.Script;

/**
 * Requests of operators: list the holders of a lock, and release it by force.
 *
 * @param masters the masters
 * @param settings settings of the engine
 */
record Operator(Masters masters, RedlockSettings settings) {

	/**
	 * Return the holders of a lock.
	 * @throws RedisFailure if no majority responded
	 */
	List<Holder> inspect(LockKey key, long deadline) {
		return holders(Scripts.INSPECT, key, deadline);
	}

	/**
	 * Release a lock by force. A marker prevents that a renewal of the former holder,
	 * which another master confirmed before, adds the grant again.
	 * @return the former holders
	 * @throws RedisFailure if no majority responded
	 */
	List<Holder> forceRelease(LockKey key, long deadline) {
		return holders(Scripts.FORCE, key, deadline, Long.toString(this.settings.silenceTimeout().toMillis()),
				LockNames.releases(this.settings.namespace()));
	}

	/**
	 * Run a script that returns owners. A holder is an owner that may have a majority: it
	 * has one together with the masters that did not respond.
	 */
	private List<Holder> holders(Script<List<Object>> script, LockKey key, long deadline, String... arguments) {
		Ballot<List<Object>> ballot = this.masters.run(script,
				LockNames.of(this.settings.namespace(), key).withForced(""), arguments, deadline);
		Map<String, List<Ownership>> owners = new HashMap<>();
		for (List<Object> response : ballot.responses()) {
			for (int i = 0; i < response.size(); i += 4) {
				owners.computeIfAbsent((String) response.get(i), (claim) -> new ArrayList<>())
					.add(Ownership.parse(response, i + 1));
			}
		}
		int least = this.masters.majority() - (this.masters.size() - ballot.size());
		return owners.entrySet()
			.stream()
			.filter((owner) -> owner.getValue().size() >= least)
			.map((owner) -> holder(owner.getKey(), owner.getValue()))
			.sorted(Comparator.comparingLong(Holder::number))
			.toList();
	}

	private Holder holder(String claim, List<Ownership> ownerships) {
		List<Long> numbers = ownerships.stream().map(Ownership::number).sorted().toList();
		// The number that a majority has, else the greatest
		long number = numbers.stream()
			.filter((each) -> numbers.stream().filter(each::equals).count() >= this.masters.majority())
			.findFirst()
			.orElse(numbers.get(numbers.size() - 1));
		long since = ownerships.stream().mapToLong(Ownership::granted).min().orElseThrow();
		List<Long> rests = ownerships.stream().map(Ownership::rest).sorted(Comparator.reverseOrder()).toList();
		long rest = rests.get(Math.min(rests.size(), this.masters.majority()) - 1);
		return Holder.of(claim, number, Instant.ofEpochMilli(since), Duration.ofMillis(rest));
	}

	/**
	 * Grant of one claim on one master.
	 *
	 * @param number grant number
	 * @param granted time of the grant by the master's clock, in milliseconds
	 * @param rest rest of the lease in milliseconds
	 */
	private record Ownership(long number, long granted, long rest) {

		static Ownership parse(List<Object> response, int from) {
			return new Ownership(Long.parseLong((String) response.get(from)),
					Long.parseLong((String) response.get(from + 1)), Long.parseLong((String) response.get(from + 2)));
		}

	}

}
