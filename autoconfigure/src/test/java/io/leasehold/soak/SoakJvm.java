package io.leasehold.soak;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

import io.leasehold.server.FaultProxy;
import io.leasehold.test.contract.JvmProcess;

/**
 * One of the places of a soak: a JVM, replaced by another when it is killed, with a
 * network of its own to each store. For one thread.
 */
final class SoakJvm implements AutoCloseable {

	private final Path folder;

	private final String name;

	private final Random random;

	private final boolean naive;

	private final int ledger;

	private final List<Integer> members;

	/** Those to the servers of each engine's store, by the name of the engine. */
	private final Map<String, List<FaultProxy>> networks;

	/** When each JVM had ended, by the file that it has written. */
	private final Map<Path, Long> ends = new LinkedHashMap<>();

	private Path diary;

	private JvmProcess process;

	SoakJvm(Path folder, String name, Random random, boolean naive, Stores stores) {
		this.folder = folder;
		this.name = name;
		this.random = random;
		this.naive = naive;
		this.ledger = stores.postgresPort();
		this.members = stores.hazelcast().members();
		this.networks = stores.networks();
		this.diary = nextDiary();
		this.process = launch();
	}

	private Path nextDiary() {
		return this.folder.resolve("%s-%d.txt".formatted(this.name, this.ends.size()));
	}

	private JvmProcess launch() {
		Map<String, List<Integer>> ports = new LinkedHashMap<>();
		this.networks.forEach((engine, proxies) -> ports.put(engine, proxies.stream().map(FaultProxy::port).toList()));
		return JvmProcess.start(SoakWorker.class,
				new Orders(this.diary, this.random.nextLong(), this.naive, this.ledger, this.members, ports)
					.commandLine());
	}

	/** Wait until the JVM has begun. */
	void awaitStart() {
		this.process.expect("started");
	}

	void freeze() {
		this.process.freeze();
	}

	void wake() {
		this.process.wake();
	}

	/** Kill the JVM and start another one. */
	void replace() {
		this.process.kill();
		this.ends.put(this.diary, System.nanoTime());
		this.diary = nextDiary();
		this.process = launch();
		awaitStart();
	}

	/** Return the networks to some servers of one of the stores. */
	List<FaultProxy> anyNetworks() {
		List<String> engines = List.copyOf(this.networks.keySet());
		String engine = engines.get(this.random.nextInt(engines.size()));
		List<FaultProxy> some = new ArrayList<>(this.networks.get(engine));
		Collections.shuffle(some, this.random);
		some.subList(1 + this.random.nextInt(some.size()), some.size()).clear();
		note("to %d network(s) of %s".formatted(some.size(), engine));
		return some;
	}

	/** Write down what happens to the JVM, beside its diaries. */
	void note(String what) {
		try {
			Files.writeString(this.folder.resolve(this.name + ".txt"), "%d %s%n".formatted(System.nanoTime(), what),
					StandardOpenOption.CREATE, StandardOpenOption.APPEND);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	Random random() {
		return this.random;
	}

	/** Send the JVM a command, and wait until it is done. */
	void order(String command) {
		this.process.tell(command);
		this.process.expect("done");
	}

	/** Have the JVM shut down, and return what is left of it then. */
	String leave() {
		this.process.tell("leave");
		return this.process.expect("left");
	}

	void readDiaries(Findings findings) throws IOException {
		this.ends.put(this.diary, System.nanoTime());
		for (Map.Entry<Path, Long> end : this.ends.entrySet()) {
			findings.read(end.getKey(), end.getValue());
		}
	}

	@Override
	public void close() throws IOException {
		this.process.close();
		for (List<FaultProxy> proxies : this.networks.values()) {
			for (FaultProxy network : proxies) {
				network.close();
			}
		}
	}

}
