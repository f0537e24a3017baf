package io.leasehold.soak;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

import io.leasehold.test.contract.Parallel;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.boot.convert.DurationStyle;
import org.springframework.util.FileSystemUtils;

/**
 * Three JVMs that use Redis, PostgreSQL, ZooKeeper, etcd, Redlock, Hazelcast and
 * memcached with short leases, and are stopped, killed, replaced and cut off at random,
 * while the stores lose members, restart and reject passwords. Whatever happens, nobody
 * holds a key beside its owner, no former owner writes, no update is lost, everybody can
 * go on, and nothing is left. Only while the Hazelcast cluster is split, after memcached
 * was restarted, or when a stopped member of etcd goes on, a key may have more than one
 * owner.
 * <p>
 * By system properties: {@code soak.time}, such as {@code 1h}; {@code soak.seed}, to
 * repeat the disturbances of another soak; {@code soak.naive}, for holders that take no
 * notice of lost locks, which has to fail.
 */
@Tag("full")
@Timeout(value = 3, unit = TimeUnit.HOURS)
class SoakIntegrationTests {

	private static final int JVMS = 3;

	private static final Duration PATIENCE = Duration.ofMinutes(3);

	private final Duration time = DurationStyle.detectAndParse(System.getProperty("soak.time", "1m"));

	private final long seed = Long.getLong("soak.seed", ThreadLocalRandom.current().nextInt(Integer.MAX_VALUE));

	private final boolean naive = Boolean.getBoolean("soak.naive");

	/** Where the report is afterwards, and what it was made of. */
	private final Path folder = Path.of("target", "soak");

	@Test
	void nothingHappensThatMayNot() throws Exception {
		FileSystemUtils.deleteRecursively(this.folder);
		Files.createDirectories(this.folder);
		SoakReport report;
		List<SoakJvm> jvms = new ArrayList<>();
		try (Stores stores = new Stores()) {
			report = new SoakReport(this.time, this.seed);
			try {
				Random random = new Random(this.seed);
				for (int i = 0; i < JVMS; i++) {
					jvms.add(new SoakJvm(this.folder, "jvm" + i, new Random(random.nextLong()), this.naive, stores));
				}
				soak(jvms, stores, report);
			}
			catch (Exception ex) {
				printThreads();
				throw ex;
			}
			finally {
				for (SoakJvm jvm : jvms) {
					jvm.close();
				}
			}
		}
		report.publish(this.folder.resolve("report.txt"));
		report.check();
	}

	private void soak(List<SoakJvm> jvms, Stores stores, SoakReport report) throws Exception {
		jvms.forEach(SoakJvm::awaitStart);
		long until = System.nanoTime() + this.time.toNanos();
		List<Chaos> chaos = jvms.stream().map((jvm) -> new Chaos(jvm, until)).toList();
		Random random = new Random(this.seed);
		List<StoreChaos> storeChaos = Arrays.stream(StoreDisturbance.values())
			.map((disturbance) -> new StoreChaos(disturbance, stores, new Random(random.nextLong()), until))
			.toList();
		List<Callable<Void>> tasks = new ArrayList<>(chaos);
		tasks.addAll(storeChaos);
		Parallel.run(tasks);
		chaos.forEach(report::disturbed);
		storeChaos.forEach(report::disturbed);
		order(jvms, "rest");
		order(jvms, "take all");
		report.leftInStores(leftAfterAWhile(stores));
		stores.exempt(report.findings());
		for (SoakJvm jvm : jvms) {
			report.leftInJvm(jvm.leave());
			jvm.readDiaries(report.findings());
		}
		stores.readLedger(report.findings());
	}

	/** Write down what all JVMs do, to see why one of them waited in vain. */
	private void printThreads() throws Exception {
		new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
				SoakWorker.class.getName(), "Thread.print")
			.redirectErrorStream(true)
			.redirectOutput(this.folder.resolve("threads.txt").toFile())
			.start()
			.waitFor(1, TimeUnit.MINUTES);
	}

	private static void order(List<SoakJvm> jvms, String command) throws Exception {
		Parallel.run(jvms.stream().map((jvm) -> Executors.callable(() -> jvm.order(command))).toList());
	}

	/** What is in the background has to be done within two leases, or a little more. */
	private static List<String> leftAfterAWhile(Stores stores) throws Exception {
		long until = System.nanoTime() + PATIENCE.toNanos();
		List<String> left = stores.residue();
		while (!left.isEmpty() && System.nanoTime() - until < 0) {
			Thread.sleep(100);
			left = stores.residue();
		}
		return left;
	}

}
