package io.leasehold.soak;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;

import io.leasehold.LockMode;
import io.leasehold.test.contract.History;
import io.leasehold.test.contract.History.Interval;

/**
 * What comes of all {@linkplain Diary diaries} together: the history of each key, and
 * figures.
 */
final class Findings {

	private final Map<String, History> histories = new TreeMap<>();

	/** Holds in a store that was split, by key. */
	private final Map<String, SplitHistory> splitHistories = new TreeMap<>();

	/** When the store of an engine was split. */
	private final Map<String, List<Split>> splits = new HashMap<>();

	/** Writes whose transaction failed, as their holders saw it. */
	private final Set<String> rolledBack = new LinkedHashSet<>();

	private final Set<String> accepted = new HashSet<>();

	private final Map<String, Integer> counts = new TreeMap<>();

	/**
	 * Take note that the store of an engine was split, before diaries are read: it
	 * promises less for holds at these times.
	 */
	void split(String engine, List<Split> times) {
		this.splits.put(engine, times);
	}

	/**
	 * Read the diary of a JVM.
	 * @param diedAt when it had ended for certain: what it held then, it held no longer
	 */
	void read(Path diary, long diedAt) throws IOException {
		Map<String, Hold> open = new HashMap<>();
		String text = Files.readString(diary);
		// The last line of a JVM that was killed may be half written
		text.substring(0, text.lastIndexOf('\n') + 1).lines().map((line) -> line.split(" ")).forEach((words) -> {
			switch (words[0]) {
				case "acquired" -> open.put(words[1], Hold.of(words));
				case "believed" -> open.computeIfPresent(words[1], (id, hold) -> hold.until(Long.parseLong(words[2])));
				case "ended" -> add(Objects.requireNonNull(open.remove(words[1])).until(Long.parseLong(words[2])));
				case "rolled-back" -> {
					add(words[0]);
					this.rolledBack.add(words[1]);
				}
				default -> add(words[0]);
			}
		});
		for (Hold hold : open.values()) {
			add("cut-short");
			add((hold.claimed.ended() - diedAt < 0) ? hold : hold.until(diedAt));
		}
	}

	private void add(Hold hold) {
		add("acquired-" + hold.engine);
		if (this.splits.getOrDefault(hold.engine, List.of())
			.stream()
			.anyMatch((split) -> split.touches(hold.claimed))) {
			add("in-a-split-" + hold.engine);
			this.splitHistories.computeIfAbsent(hold.engine + " " + hold.key, (name) -> new SplitHistory())
				.add(hold.claimed);
		}
		else {
			history(hold.engine, hold.key).add(hold.claimed);
		}
	}

	/** Take note of a write that the ledger accepted, in its order. */
	void accepted(String engine, String key, long token, String id) {
		add("accepted");
		this.accepted.add(id);
		history(engine, key).accepted(token);
	}

	private History history(String engine, String key) {
		return this.histories.computeIfAbsent(engine + " " + key, (name) -> new History());
	}

	private void add(String what) {
		this.counts.merge(what, 1, Integer::sum);
	}

	/** How often something happened whose name begins so. */
	int count(String beginning) {
		return this.counts.entrySet()
			.stream()
			.filter((entry) -> entry.getKey().startsWith(beginning))
			.mapToInt(Map.Entry::getValue)
			.sum();
	}

	/** Everything that was counted. */
	Map<String, Integer> counts() {
		return this.counts;
	}

	/** How often a key was granted, because of a split, while it had an owner. */
	int overlapsInSplits() {
		return this.splitHistories.values().stream().mapToInt(SplitHistory::overlaps).sum();
	}

	/** What cannot be true of any key. */
	List<String> violations() {
		List<String> found = new ArrayList<>();
		this.histories.forEach((key, history) -> history.violations().forEach((text) -> found.add(key + ": " + text)));
		this.rolledBack.stream()
			.filter(this.accepted::contains)
			.forEach((id) -> found.add("write %s: committed, although its transaction failed".formatted(id)));
		return found;
	}

	/**
	 * A hold as far as it was read.
	 */
	private record Hold(String engine, String key, Interval claimed) {

		static Hold of(String[] words) {
			return new Hold(words[2], words[3], new Interval(Long.parseLong(words[5]), Long.parseLong(words[6]),
					Long.parseLong(words[7]), Long.parseLong(words[8]), LockMode.valueOf(words[4]) == LockMode.SHARED));
		}

		Hold until(long end) {
			return new Hold(this.engine, this.key, new Interval(this.claimed.token(), this.claimed.requested(),
					this.claimed.acquired(), end, this.claimed.shared()));
		}

	}

}
