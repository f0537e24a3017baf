package io.leasehold.soak;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What came of a soak, in figures for people and as a verdict.
 */
final class SoakReport {

	private final Duration time;

	private final long seed;

	private final Map<Disturbance, Integer> disturbances = new EnumMap<>(Disturbance.class);

	private final Map<StoreDisturbance, Integer> storeDisturbances = new EnumMap<>(StoreDisturbance.class);

	private final Findings findings = new Findings();

	private final List<String> leftInJvms = new ArrayList<>();

	private List<String> leftInStores = List.of();

	SoakReport(Duration time, long seed) {
		this.time = time;
		this.seed = seed;
	}

	void disturbed(Chaos chaos) {
		chaos.counts().forEach((disturbance, count) -> this.disturbances.merge(disturbance, count, Integer::sum));
	}

	void disturbed(StoreChaos chaos) {
		this.storeDisturbances.put(chaos.disturbance(), chaos.count());
	}

	void leftInStores(List<String> left) {
		this.leftInStores = left;
	}

	void leftInJvm(String left) {
		this.leftInJvms.add(left);
	}

	Findings findings() {
		return this.findings;
	}

	/** Print the report, and leave it in a file. */
	void publish(Path file) throws IOException {
		String text = text();
		System.out.println(text);
		Files.writeString(file, text);
	}

	private String text() {
		List<String> violations = this.findings.violations();
		StringBuilder text = new StringBuilder("Soak of %s, seed %d%n".formatted(this.time, this.seed));
		line(text, "faults injected", this.disturbances.toString().toLowerCase(Locale.ROOT));
		line(text, "faults of stores", this.storeDisturbances.toString().toLowerCase(Locale.ROOT));
		line(text, "acquisitions", this.findings.count("acquired"));
		line(text, "losses reported", this.findings.count("lost"));
		line(text, "overlaps", violations.stream().filter((violation) -> violation.contains(": overlap: ")).count());
		line(text, "overlaps in exempt stores", this.findings.exemptOverlaps());
		line(text, "other contradictions",
				violations.stream().filter((violation) -> !violation.contains(": overlap: ")).count());
		line(text, "stale writes rejected", this.findings.count("stale-write"));
		line(text, "writes rolled back", this.findings.count("rolled-back"));
		line(text, "writes accepted", this.findings.count("accepted"));
		line(text, "commits of unknown outcome", this.findings.count("unknown-commit"));
		line(text, "  of them committed", this.findings.unknownCommitted());
		line(text, "left in stores", this.leftInStores);
		line(text, "left in JVMs", this.leftInJvms);
		this.findings.counts().forEach((what, count) -> line(text, "  " + what, count));
		violations.forEach((violation) -> text.append(violation).append(System.lineSeparator()));
		return text.toString();
	}

	private static void line(StringBuilder text, String what, Object figure) {
		text.append("%-32s %s%n".formatted(what, figure));
	}

	/** Fail if something happened that may not, or if too little did to judge. */
	void check() {
		assertThat(this.findings.violations()).as("holds and writes that cannot all be true").isEmpty();
		assertThat(this.findings.count("failed")).as("threads that failed").isZero();
		assertThat(this.leftInStores).as("left in the stores").isEmpty();
		assertThat(this.leftInJvms).as("left in the JVMs").containsOnly("[]");
		for (String engine : Stores.engines()) {
			assertThat(this.findings.count("acquired-" + engine)).as("acquisitions by " + engine).isPositive();
		}
		assertThat(this.findings.count("lost")).as("losses that were reported").isPositive();
		assertThat(this.findings.count("rolled-back")).as("writes that were rolled back").isPositive();
		assertThat(this.findings.count("cancelled-STAGE")).as("stages that were cancelled").isPositive();
		assertThat(this.findings.count("cancelled-PUBLISHER")).as("publishers that were cancelled").isPositive();
		assertThat(this.findings.count("timed-out")).as("publishers that timed out").isPositive();
		assertThat(this.findings.count("unknown-commit")).as("commits of unknown outcome").isPositive();
		assertThat(this.findings.unknownCommitted()).as("of them committed").isPositive();
	}

}
