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

	/** Holds in a store that was exempt, by key. */
	private final Map<String, ExemptHistory> exemptHistories = new TreeMap<>();

	/** When the store of an engine was exempt. */
	private final Map<String, List<Exemption>> exemptions = new HashMap<>();

	/** Writes whose transaction failed, as their holders saw it. */
	private final Set<String> rolledBack = new LinkedHashSet<>();

	/** Writes whose holders do not know whether they were committed. */
	private final Set<String> unknown = new HashSet<>();

	private final Set<String> accepted = new HashSet<>();

	/** The last write to each key. */
	private final Map<String, Long> lastWrites = new HashMap<>();

	private final List<String> lostUpdates = new ArrayList<>();

	private final Map<String, Integer> counts = new TreeMap<>();

	/**
	 * Take note that the store of an engine was exempt, before diaries are read: it
	 * promises less for holds at these times.
	 */
	void exempt(String engine, List<Exemption> times) {
		this.exemptions.put(engine, times);
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
				case "unknown-commit" -> {
					add(words[0]);
					this.unknown.add(words[1]);
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
		if (this.exemptions.getOrDefault(hold.engine, List.of())
			.stream()
			.anyMatch((exemption) -> exemption.concerns(hold.key, hold.claimed))) {
			add("exempt-" + hold.engine);
			this.exemptHistories.computeIfAbsent(hold.engine + " " + hold.key, (name) -> new ExemptHistory())
				.add(hold.claimed);
		}
		else {
			history(hold.engine, hold.key).add(hold.claimed);
		}
	}

	/**
	 * Take note of a write that the ledger accepted, in its order.
	 * @param number its number
	 * @param read number of the write that its holder had read last, 0 if there was none
	 */
	void accepted(String engine, String key, long token, String id, long number, long read) {
		add("accepted");
		this.accepted.add(id);
		history(engine, key).accepted(token);
		Long last = this.lastWrites.put(engine + " " + key, number);
		if (read != ((last != null) ? last : 0)) {
			this.lostUpdates
				.add("%s %s: lost update: write %d had read %d, not %d".formatted(engine, key, number, read, last));
		}
	}

	/** How many writes of unknown outcome were committed. */
	int unknownCommitted() {
		return (int) this.unknown.stream().filter(this.accepted::contains).count();
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

	/** How often a key of an exempt store was granted while it had an owner. */
	int exemptOverlaps() {
		return this.exemptHistories.values().stream().mapToInt(ExemptHistory::overlaps).sum();
	}

	/** What cannot be true of any key. */
	List<String> violations() {
		List<String> found = new ArrayList<>(this.lostUpdates);
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
