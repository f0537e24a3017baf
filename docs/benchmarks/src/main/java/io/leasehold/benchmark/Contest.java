package io.leasehold.benchmark;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import io.leasehold.benchmark.report.Results;
import io.leasehold.benchmark.report.Round;
import io.leasehold.benchmark.store.Server;
import io.leasehold.benchmark.store.Store;
import io.leasehold.benchmark.store.Usage;
import io.leasehold.benchmark.worker.Sample;
import io.leasehold.benchmark.worker.WorkerProcess;

/**
 * Puts contenders into the same situation, one after the other and again, so that what
 * else happens on the machine happens to all of them.
 *
 * @param store the kind of store
 * @param server where it is
 * @param rounds how often each contender has its turn
 * @param time how long a round is measured
 */
record Contest(Store store, Server server, int rounds, Duration time) {

	Results run(Scenario scenario, List<String> contenders) throws Exception {
		Map<String, List<WorkerProcess>> workers = new LinkedHashMap<>();
		try {
			for (String contender : contenders) {
				workers.put(contender, start(scenario, contender));
				round(scenario, workers.get(contender), this.time.multipliedBy(2));
			}
			return run(scenario, workers);
		}
		finally {
			for (WorkerProcess worker : workers.values().stream().flatMap(List::stream).toList()) {
				worker.close();
			}
		}
	}

	private List<WorkerProcess> start(Scenario scenario, String contender) throws IOException {
		List<WorkerProcess> workers = new ArrayList<>();
		for (int number = 0; number < scenario.workers(); number++) {
			workers.add(new WorkerProcess(this.store, contender, this.server.address(), number));
		}
		return workers;
	}

	private Results run(Scenario scenario, Map<String, List<WorkerProcess>> workers) throws Exception {
		Results results = new Results(scenario.title(), scenario.floor(), scenario.yardstick());
		for (int round = 0; round < this.rounds; round++) {
			for (Map.Entry<String, List<WorkerProcess>> contender : workers.entrySet()) {
				results.add(contender.getKey(), round(scenario, contender.getValue(), this.time));
			}
		}
		for (Map.Entry<String, List<WorkerProcess>> contender : workers.entrySet()) {
			results.sent(contender.getKey(), sent(scenario, contender.getValue()));
		}
		return results;
	}

	private Round round(Scenario scenario, List<WorkerProcess> workers, Duration time) throws Exception {
		Path board = Files.createTempFile("board", null);
		try {
			Usage before = this.server.usage();
			for (WorkerProcess worker : workers) {
				worker.begin(scenario.task().apply(board.toString(), time));
			}
			List<Sample> samples = new ArrayList<>();
			for (WorkerProcess worker : workers) {
				samples.add(worker.end());
			}
			return new Round(samples, this.server.usage().since(before));
		}
		finally {
			Files.delete(board);
		}
	}

	/** One more round, since the server is slower while it is watched. */
	private double sent(Scenario scenario, List<WorkerProcess> workers) throws Exception {
		Optional<Server.Monitor> monitor = this.server.monitor();
		if (monitor.isEmpty()) {
			return Double.NaN;
		}
		try (Server.Monitor watching = monitor.get()) {
			Round round = round(scenario, workers, this.time);
			return watching.sent() / round.all();
		}
	}

}
