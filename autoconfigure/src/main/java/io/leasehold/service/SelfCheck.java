package io.leasehold.service;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

import io.leasehold.LockKey;
import io.leasehold.service.gate.Actions;
import io.leasehold.service.gate.Hold;
import io.leasehold.service.gate.KeyGate;
import io.leasehold.service.gate.Repair;
import io.leasehold.service.renewal.Watchdog;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Check, once a second, that work for all holds and waiters is in progress, and repair of
 * what is not. Because submissions to threads do not fail, a repair should never be
 * necessary. The first repair of a kind, such as after a lack of memory, is logged as a
 * warning. Health reports all of them.
 */
final class SelfCheck implements Runnable {

	private static final Log logger = LogFactory.getLog(SelfCheck.class);

	private static final String CROWDED = "code of callers blocks all threads available to it";

	private final String engine;

	private final EngineThreads threads;

	private final Gates gates;

	private final GateDriver driver;

	private final Holds holds;

	private final Watchdog watchdog;

	private final Map<Repair, Integer> repairs = new EnumMap<>(Repair.class);

	private volatile boolean crowded;

	SelfCheck(EngineThreads threads, Gates gates, GateDriver driver, Holds holds, Watchdog watchdog) {
		this.engine = holds.engine();
		this.threads = threads;
		this.gates = gates;
		this.driver = driver;
		this.holds = holds;
		this.watchdog = watchdog;
	}

	@Override
	public void run() {
		checkCallers();
		boolean held = false;
		for (KeyGate gate : this.gates.all()) {
			Actions actions = gate.repairClaim();
			if (actions.requested() != null) {
				repaired(Repair.REQUEST, gate.key());
			}
			this.driver.carryOut(gate, actions);
			for (Hold hold : gate.holds()) {
				held = true;
				check(gate, hold);
			}
		}
		if (this.watchdog.repair(held)) {
			repaired(Repair.RENEWAL, null);
		}
	}

	private void checkCallers() {
		boolean before = this.crowded;
		this.crowded = this.threads.isCrowded();
		if (this.crowded && !before) {
			logger.warn(
					"%s: completions of futures and onLost actions wait (engine: %s)".formatted(CROWDED, this.engine));
		}
	}

	private void check(KeyGate gate, Hold hold) {
		Repair repair = gate.check(hold);
		if (repair == null) {
			return;
		}
		repaired(repair, gate.key());
		if (repair == Repair.RELEASE) {
			this.holds.leaveLater(gate, hold);
		}
		else {
			gate.wake(hold);
		}
	}

	private void repaired(Repair repair, @Nullable LockKey key) {
		boolean first;
		synchronized (this.repairs) {
			first = this.repairs.merge(repair, 1, Integer::sum) == 1;
		}
		String message = "Self-check of engine '%s' repaired a fault: %s%s".formatted(this.engine, repair,
				(key != null) ? " (lock '%s')".formatted(key) : "");
		if (first) {
			logger.warn(message + ". Its health counts these repairs");
		}
		else {
			logger.debug(message);
		}
	}

	/** Return past repairs and present problems, for operators. */
	List<String> findings() {
		List<String> findings = new ArrayList<>();
		if (this.crowded) {
			findings.add(CROWDED);
		}
		synchronized (this.repairs) {
			this.repairs.forEach((repair, times) -> findings.add("repaired %d times: %s".formatted(times, repair)));
		}
		return findings;
	}

}
