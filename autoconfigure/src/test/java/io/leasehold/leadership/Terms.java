package io.leasehold.leadership;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import io.leasehold.test.contract.History;
import io.leasehold.test.contract.History.Interval;

/**
 * The terms of several processes, as each has {@linkplain Watch watched} its own.
 */
final class Terms {

	private final History history = new History();

	private final List<Interval> terms = new ArrayList<>();

	private int samples;

	private final Map<String, Integer> ends = new TreeMap<>();

	private final List<String> contradictions = new ArrayList<>();

	/** Read what a process has written. */
	void read(Path file) throws IOException {
		String text = Files.readString(file);
		Map<Long, Interval> watched = new TreeMap<>();
		String last = Watch.REVOKED;
		// The last line of a process that was killed may be half written
		for (String line : text.substring(0, text.lastIndexOf('\n') + 1).lines().toList()) {
			String[] words = line.split(" ");
			if (words[0].equals(Watch.LEADS)) {
				this.samples++;
				long before = Long.parseLong(words[2]);
				watched.merge(Long.valueOf(words[1]),
						new Interval(Long.parseLong(words[1]), before, Long.parseLong(words[3]), before, false),
						(first, next) -> new Interval(first.token(), first.requested(), first.acquired(), next.ended(),
								false));
				continue;
			}
			if (words[0].equals(last)) {
				this.contradictions.add("%s: %s follows %s".formatted(file, line, last));
			}
			last = words[0];
			if (last.equals(Watch.REVOKED)) {
				this.ends.merge(words[1], 1, Integer::sum);
			}
		}
		watched.values().forEach(this.history::add);
		this.terms.addAll(watched.values());
	}

	/** Return what cannot be true. */
	List<String> contradictions() {
		List<String> all = new ArrayList<>(this.history.violations());
		all.addAll(this.contradictions);
		return all;
	}

	/** Return how many terms there were. */
	int count() {
		return this.terms.size();
	}

	/** Return how many times a process was seen to lead. */
	int samples() {
		return this.samples;
	}

	/**
	 * Return how many terms have ended by each cause, of processes that outlived them.
	 */
	Map<String, Integer> ends() {
		return this.ends;
	}

	/** Return the times without a leader, the longest one last. */
	List<Duration> vacancies() {
		List<Duration> vacancies = new ArrayList<>();
		this.terms.sort(Comparator.comparingLong(Interval::acquired));
		for (int i = 1; i < this.terms.size(); i++) {
			vacancies.add(Duration.ofNanos(this.terms.get(i).acquired() - this.terms.get(i - 1).ended()));
		}
		vacancies.sort(Comparator.naturalOrder());
		return vacancies;
	}

}
