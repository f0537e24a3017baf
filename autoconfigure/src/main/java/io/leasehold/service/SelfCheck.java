package io.leasehold.service;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

import io.leasehold.LockKey;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Checks once a second that everything which is held or awaited is under way, and repairs
 * what is not. Handing work over to threads does not fail, so nothing should ever have to
 * be repaired. If something has, such as after a lack of memory, it is logged once and
 * reported by health.
 */
final class SelfCheck implements Runnable {

	private static final Log logger = LogFactory.getLog(SelfCheck.class);

	/** Checks until something that should be under way is taken for stuck. */
	static final int PATIENCE = 5;

	private static final String CROWDED = "code of callers blocks all the threads there are for it";

	/** What was repaired. */
	enum Repair {

		/** A request for the head of a queue was not sent. */
		REQUEST("requests were not sent"),

		/** A lock was granted, and its caller did not take it. */
		GRANT("granted locks were not taken by their callers"),

		/** A closed lock was not released. */
		RELEASE("closed locks were not released"),

		/** Leases were not renewed. */
		RENEWAL("renewals did not begin or end");

		private final String description;

		Repair(String description) {
			this.description = description;
		}

	}

	private final Coordinator coordinator;

	private final Map<Repair, Integer> repairs = new EnumMap<>(Repair.class);

	private volatile boolean crowded;

	SelfCheck(Coordinator coordinator) {
		this.coordinator = coordinator;
	}

	@Override
	public void run() {
		checkCallers();
		boolean held = false;
		for (Gate gate : this.coordinator.gates()) {
			if (gate.repairClaim()) {
				repaired(Repair.REQUEST, gate.key);
			}
			for (Hold hold : gate.holds()) {
				held = true;
				check(hold);
			}
		}
		if (this.coordinator.watchdog().repair(held)) {
			repaired(Repair.RENEWAL, null);
		}
	}

	private void checkCallers() {
		boolean before = this.crowded;
		this.crowded = this.coordinator.threads().isCrowded();
		if (this.crowded && !before) {
			logger.warn("%s: completions of futures and onLost actions wait (engine: %s)".formatted(CROWDED,
					this.coordinator.engine().name()));
		}
	}

	private void check(Hold hold) {
		Repair repair = hold.gate.stuck(hold);
		if (repair == null) {
			return;
		}
		repaired(repair, hold.key());
		if (repair == Repair.RELEASE) {
			this.coordinator.holds().leaveLater(hold);
		}
		else {
			hold.gate.wake(hold);
		}
	}

	private void repaired(Repair repair, @Nullable LockKey key) {
		boolean first;
		synchronized (this.repairs) {
			first = this.repairs.merge(repair, 1, Integer::sum) == 1;
		}
		String message = "Self-check of engine '%s' repaired that %s%s".formatted(this.coordinator.engine().name(),
				repair.description, (key != null) ? " (lock '%s')".formatted(key) : "");
		if (first) {
			logger.warn(message + ". Its health counts how often");
		}
		else {
			logger.debug(message);
		}
	}

	/** Return what was repaired so far and what is not in order now, for operators. */
	List<String> findings() {
		List<String> findings = new ArrayList<>();
		if (this.crowded) {
			findings.add(CROWDED);
		}
		synchronized (this.repairs) {
			this.repairs
				.forEach((repair, times) -> findings.add("repaired %d times: %s".formatted(times, repair.description)));
		}
		return findings;
	}

}
