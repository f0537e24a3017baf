package io.leasehold.soak;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Command line of a JVM of a soak.
 *
 * @param diary the file it writes, which is not there yet
 * @param seed of all that is random in it
 * @param naive whether its holders take no notice of lost locks
 * @param ledger port of the database that is written to, which never fails
 * @param members ports at which the members of the Hazelcast cluster reach each other
 * @param networks ports of the proxies before the servers of each engine's store, by the
 * name of the engine
 */
record Orders(Path diary, long seed, boolean naive, int ledger, List<Integer> members,
		Map<String, List<Integer>> networks) {

	static Orders parse(String[] words) {
		Map<String, List<Integer>> networks = new LinkedHashMap<>();
		for (String network : Arrays.asList(words).subList(5, words.length)) {
			String[] parts = network.split("=");
			networks.put(parts[0], ports(parts[1]));
		}
		return new Orders(Path.of(words[0]), Long.parseLong(words[1]), Boolean.parseBoolean(words[2]),
				Integer.parseInt(words[3]), ports(words[4]), networks);
	}

	List<String> commandLine() {
		List<String> words = new ArrayList<>(List.of(this.diary.toString(), Long.toString(this.seed),
				Boolean.toString(this.naive), Integer.toString(this.ledger), text(this.members)));
		this.networks.forEach((engine, ports) -> words.add(engine + "=" + text(ports)));
		return words;
	}

	private static List<Integer> ports(String text) {
		return Arrays.stream(text.split(",")).map(Integer::valueOf).toList();
	}

	private static String text(List<Integer> ports) {
		return ports.stream().map(String::valueOf).collect(Collectors.joining(","));
	}

}
