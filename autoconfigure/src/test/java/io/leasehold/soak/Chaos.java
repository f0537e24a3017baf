package io.leasehold.soak;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

/**
 * Disturbs one JVM of a soak again and again, by all disturbances in turn and in any
 * order, with times of peace between them.
 */
final class Chaos implements Callable<Void> {

	private static final int LONGEST_PEACE = 1000;

	private final SoakJvm jvm;

	private final long until;

	private final Map<Disturbance, Integer> counts = new EnumMap<>(Disturbance.class);

	Chaos(SoakJvm jvm, long until) {
		this.jvm = jvm;
		this.until = until;
	}

	/** The first round is finished, however little time there is. */
	@Override
	public Void call() throws InterruptedException {
		List<Disturbance> next = round();
		while (this.counts.size() < Disturbance.values().length || System.nanoTime() - this.until < 0) {
			if (next.isEmpty()) {
				next = round();
			}
			Disturbance disturbance = next.remove(0);
			this.jvm.note(disturbance + " begins");
			disturbance.strike(this.jvm);
			this.jvm.note(disturbance + " has ended");
			this.counts.merge(disturbance, 1, Integer::sum);
			Thread.sleep(this.jvm.random().nextInt(LONGEST_PEACE));
		}
		return null;
	}

	private List<Disturbance> round() {
		List<Disturbance> round = new ArrayList<>();
		for (Disturbance disturbance : Disturbance.values()) {
			round.addAll(Collections.nCopies(disturbance.share, disturbance));
		}
		Collections.shuffle(round, this.jvm.random());
		return round;
	}

	/** How often each disturbance came. */
	Map<Disturbance, Integer> counts() {
		return this.counts;
	}

}
