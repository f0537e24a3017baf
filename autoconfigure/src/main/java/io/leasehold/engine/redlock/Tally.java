package io.leasehold.engine.redlock;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;

/**
 * Count of the votes in one round.
 *
 * @param votes number of votes
 * @param granted number of masters at which the claim holds the lock
 * @param strongestRival number of masters at which the strongest other claim holds it
 * @param agreedNumber grant number that a majority has given, zero if there is none
 * @param greatestNumber greatest grant number, zero if there is none
 * @param busyFor for how many milliseconds the lock stays busy at least
 */
record Tally(int votes, int granted, int strongestRival, long agreedNumber, long greatestNumber, long busyFor) {

	static Tally of(Collection<Vote> votes, int majority) {
		Map<String, Integer> rivals = new HashMap<>();
		Map<Long, Integer> numbers = new HashMap<>();
		long busyFor = Long.MAX_VALUE;
		for (Vote vote : votes) {
			if (vote.granted()) {
				numbers.merge(vote.number(), 1, Integer::sum);
			}
			else {
				rivals.merge(vote.rival(), 1, Integer::sum);
				busyFor = Math.min(busyFor, vote.busyFor());
			}
		}
		long agreed = numbers.entrySet()
			.stream()
			.filter((number) -> number.getValue() >= majority)
			.mapToLong(Map.Entry::getKey)
			.findFirst()
			.orElse(0);
		long greatest = numbers.keySet().stream().mapToLong(Long::longValue).max().orElse(0);
		return new Tally(votes.size(), sum(numbers), greatest(rivals), agreed, greatest, busyFor);
	}

	private static int sum(Map<?, Integer> counts) {
		return counts.values().stream().mapToInt(Integer::intValue).sum();
	}

	private static int greatest(Map<?, Integer> counts) {
		return counts.values().stream().mapToInt(Integer::intValue).max().orElse(0);
	}

	/**
	 * Return whether another claim may have a majority. Otherwise the votes are split,
	 * and the next round may have another result.
	 */
	boolean isBusy(int masters, int majority) {
		return this.strongestRival + (masters - this.votes) >= majority;
	}

}
