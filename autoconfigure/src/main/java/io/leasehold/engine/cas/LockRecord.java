package io.leasehold.engine.cas;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

import io.leasehold.engine.Access;
import org.jspecify.annotations.Nullable;

/**
 * Content of a lock's entry.
 *
 * @param writes number of this write. It starts at random, so that a record that was lost
 * and created again never repeats a number: processes recognize what they have seen by it
 * @param last last grant number
 * @param mark mark of a waiting process
 * @param places places in the order of their grants
 */
record LockRecord(long writes, long last, @Nullable Mark mark, List<Place> places) {

	private static final String HEADER = "leasehold-1";

	/** Return the record of a key that has none yet. */
	static LockRecord absent() {
		return new LockRecord(ThreadLocalRandom.current().nextLong(1, 1L << 62), 0, null, List.of());
	}

	/** Return the record after the next write. */
	LockRecord next(long last, @Nullable Mark mark, List<Place> places) {
		return new LockRecord(this.writes + 1, last, mark, List.copyOf(places));
	}

	/** Return whether the record only keeps the last grant number. */
	boolean isIdle() {
		return this.mark == null && this.places.isEmpty();
	}

	/** Return the text in the store. */
	String text() {
		StringBuilder text = new StringBuilder(HEADER).append(' ')
			.append(this.writes)
			.append(' ')
			.append(this.last)
			.append('\n');
		Mark waiting = this.mark;
		if (waiting != null) {
			line(text, "wait", waiting.member(), waiting.access().code(), waiting.poll(), waiting.life(),
					waiting.stamp());
		}
		for (Place place : this.places) {
			line(text, "hold", place.owner(), place.access().code(), place.number(), place.since(), place.lease(),
					place.delay(), place.closed(), place.stamp());
		}
		return text.toString();
	}

	private static void line(StringBuilder text, String word, String who, String access, long... values) {
		text.append(word).append(' ').append(who).append(' ').append(access);
		for (long value : values) {
			text.append(' ').append(value);
		}
		text.append('\n');
	}

	/**
	 * Parse the text of an entry.
	 * @throws IllegalArgumentException if it was not written by Leasehold
	 */
	static LockRecord parse(String text) {
		try {
			String[] lines = text.split("\n");
			String[] header = lines[0].split(" ");
			if (!header[0].equals(HEADER)) {
				throw new IllegalArgumentException("unknown header");
			}
			Mark mark = null;
			List<Place> places = new ArrayList<>(lines.length - 1);
			for (int i = 1; i < lines.length; i++) {
				String[] words = lines[i].split(" ");
				if (words[0].equals("wait")) {
					mark = new Mark(words[1], Access.parse(words[2]), number(words, 3), number(words, 4),
							number(words, 5));
				}
				else {
					places.add(place(words));
				}
			}
			return new LockRecord(number(header, 1), number(header, 2), mark, List.copyOf(places));
		}
		catch (IllegalArgumentException | IndexOutOfBoundsException ex) {
			throw new IllegalArgumentException("its entry in the store was not written by Leasehold", ex);
		}
	}

	private static Place place(String[] words) {
		return new Place(words[1], Access.parse(words[2]), number(words, 3), number(words, 4), number(words, 5),
				number(words, 6), number(words, 7), number(words, 8));
	}

	private static long number(String[] words, int index) {
		return Long.parseLong(words[index]);
	}

}
