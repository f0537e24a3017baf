package io.leasehold.benchmark;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.leasehold.benchmark.contender.Contender;
import io.leasehold.benchmark.contender.Contenders;
import io.leasehold.benchmark.store.Server;
import io.leasehold.benchmark.store.Store;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Runs the smallest contest there is, with a server and a JVM for each contender.
 */
class BenchmarksIntegrationTests {

	@TempDir
	Path results;

	@Test
	void scenarioLeavesTableFiguresAndPlot() throws Exception {
		Benchmarks.main(new String[] { "hot-key-1", "--rounds=2", "--millis=1000", "--results=" + this.results,
				"--contenders=%s,%s".formatted(Contenders.QUEUE, Contenders.LEASEHOLD) });
		List<String> table = Files.readAllLines(this.results.resolve("redis-hot-key-1.md"));
		assertThat(table.stream().filter((line) -> line.startsWith("| leasehold"))).singleElement().satisfies((row) -> {
			List<String> cells = List.of(row.split(" *\\| *"));
			assertThat(Double.parseDouble(cells.get(2))).as("× floor").isPositive();
			assertThat(Double.parseDouble(cells.get(10))).as("server µs/turn").isPositive();
			assertThat(cells.get(14)).as("violations").isEqualTo("0");
		});
		assertThat(Files.readAllLines(this.results.resolve("redis-hot-key-1.csv"))).hasSize(1 + 2 * 2);
		assertThat(this.results.resolve("redis-hot-key-1.svg")).content().contains(Contenders.LEASEHOLD);
	}

	/** Or they would be the floor of nothing. */
	@Test
	void bareCallsToMariaDbExcludeEachOther() throws Exception {
		try (Server server = Store.MARIADB.start();
				Contender bare = Contenders.open(Store.MARIADB, Contenders.BARE, server.address())) {
			Contender.Held first = bare.acquire("key");
			FutureTask<Contender.Held> second = new FutureTask<>(() -> bare.acquire("key"));
			new Thread(second).start();
			assertThatExceptionOfType(TimeoutException.class).isThrownBy(() -> second.get(300, TimeUnit.MILLISECONDS));
			first.release();
			second.get(60, TimeUnit.SECONDS).release();
		}
	}

}
