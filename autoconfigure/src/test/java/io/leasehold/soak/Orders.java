package io.leasehold.soak;

import java.nio.file.Path;
import java.util.List;

/**
 * What a JVM of a soak is told on its command line.
 *
 * @param diary the file it writes, which is not there yet
 * @param seed of all that is random in it
 * @param naive whether its holders take no notice of lost locks
 * @param ledger port of the database that is written to, which never fails
 * @param redis port for the engine
 * @param jdbc port for the engine
 * @param zookeeper port for the engine
 */
record Orders(Path diary, long seed, boolean naive, int ledger, int redis, int jdbc, int zookeeper) {

	static Orders parse(String[] words) {
		return new Orders(Path.of(words[0]), Long.parseLong(words[1]), Boolean.parseBoolean(words[2]),
				Integer.parseInt(words[3]), Integer.parseInt(words[4]), Integer.parseInt(words[5]),
				Integer.parseInt(words[6]));
	}

	List<String> commandLine() {
		return List.of(this.diary.toString(), Long.toString(this.seed), Boolean.toString(this.naive),
				Integer.toString(this.ledger), Integer.toString(this.redis), Integer.toString(this.jdbc),
				Integer.toString(this.zookeeper));
	}

}
