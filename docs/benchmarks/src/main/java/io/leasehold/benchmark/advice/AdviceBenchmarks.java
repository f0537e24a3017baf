package io.leasehold.benchmark.advice;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * Runs {@link AdviceBenchmark}, each benchmark in a separate JVM.
 */
public final class AdviceBenchmarks {

	/** Name on the command line and of the files. */
	public static final String NAME = "advice";

	private AdviceBenchmarks() {
	}

	/**
	 * Run all of them, which takes less than two minutes, and write the results.
	 * @param folder the folder
	 * @return a table in Markdown
	 * @throws RunnerException if a benchmark fails
	 * @throws IOException if the results cannot be written
	 */
	public static String run(Path folder) throws RunnerException, IOException {
		List<Cost> costs = run();
		String table = costs.stream().map(Cost::row).collect(Collectors.joining("", """
				## The annotation, local engine, one thread

				| | CPU ns/call | spread | ns/call | B/call |
				|---|---|---|---|---|
				""", ""));
		Files.createDirectories(folder);
		Files.writeString(folder.resolve(NAME + ".md"), table);
		Files.writeString(folder.resolve(NAME + ".csv"),
				costs.stream()
					.map(Cost::line)
					.collect(Collectors.joining("", "benchmark,cpu,least,most,time,bytes\n", "")));
		return table;
	}

	private static List<Cost> run() throws RunnerException {
		return new Runner(new OptionsBuilder().include("\\b" + AdviceBenchmark.class.getSimpleName() + "\\.")
			.addProfiler(GCProfiler.class)
			.addProfiler(CpuTime.class)
			.verbosity(VerboseMode.SILENT)
			.shouldFailOnError(true)
			.build()).run().stream().map(Cost::of).toList();
	}

}
