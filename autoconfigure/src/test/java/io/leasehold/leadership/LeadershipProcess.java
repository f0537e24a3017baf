package io.leasehold.leadership;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

import io.leasehold.LockOptions;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.service.LockService;
import io.leasehold.service.ReleaseTiming;
import io.leasehold.test.contract.EngineAddress;
import io.leasehold.test.contract.JvmProcess;
import io.leasehold.test.contract.ShortLeases;
import io.leasehold.test.contract.TestSettings;
import org.awaitility.Awaitility;

/**
 * Another JVM that is a candidate for a role.
 */
final class LeadershipProcess implements AutoCloseable {

	static final String ROLE = "billing";

	final JvmProcess process;

	private LeadershipProcess(JvmProcess process) {
		this.process = process;
	}

	/** Start a candidate whose role has a lease. */
	static LeadershipProcess start(EngineAddress address, String namespace, Duration lease) {
		List<String> arguments = new ArrayList<>(List.of(lease.toString()));
		arguments.addAll(address.commandLine(namespace));
		return new LeadershipProcess(JvmProcess.start(LeadershipProcess.class, arguments));
	}

	/** Wait for the end of a term of this process, and return its cause. */
	String awaitEnd() {
		this.process.tell("next end");
		return this.process.expect(Watch.REVOKED);
	}

	boolean isLeader() {
		return term() > 0;
	}

	/** Return the term of this process, 0 for none. */
	long term() {
		this.process.tell("term");
		return Long.parseLong(this.process.expect("term"));
	}

	/** Let others lead for a while. */
	void stepDown(Duration pause) {
		this.process.tell("step down=" + pause);
	}

	/** Release the role by force, whichever process leads. */
	void releaseByForce() {
		this.process.tell("release by force");
	}

	/** Write down from now on whether this process leads, and all its events. */
	void watch(Path file) {
		this.process.tell("watch=" + file);
	}

	/** End the candidacy as a shutdown does. */
	void stop() {
		this.process.tell("stop");
		this.process.expect("stopped");
	}

	@Override
	public void close() {
		this.process.close();
	}

	/**
	 * Run the other process.
	 * @param args lease, opener, namespace, and the opener's arguments
	 * @throws IOException if its standard input breaks
	 * @throws InterruptedException if it is interrupted
	 */
	public static void main(String[] args) throws IOException, InterruptedException {
		// For openers that wait on a busy machine
		Awaitility.setDefaultTimeout(Duration.ofMinutes(5));
		Member member = Member.of("candidate");
		LockEngine engine = new ShortLeases(
				EngineAddress.open(args[1], args[2], member, List.of(args).subList(3, args.length)));
		LockOptions defaults = new LockOptions("test", engine.name(), Duration.parse(args[0]), Duration.ZERO,
				Duration.ZERO, LockOptions.UNLIMITED);
		LockService locks = new LockService(TestSettings.of(defaults), List.of(engine), member, MonotonicClock.SYSTEM,
				List.of(), ReleaseTiming.IMMEDIATE);
		BlockingQueue<Object> ends = new LinkedBlockingQueue<>();
		BlockingQueue<Object> watched = new LinkedBlockingQueue<>();
		Candidate candidate = new Candidate(ROLE, locks, defaults, (event) -> {
			if (event instanceof LeadershipRevokedEvent) {
				ends.add(event);
			}
			watched.add(event);
		});
		Instance.start(candidate);
		BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
		for (String line = commands.readLine(); line != null; line = commands.readLine()) {
			String[] command = line.split("=");
			switch (command[0]) {
				case "next end" -> System.out.println(Watch.text(ends.take()));
				case "term" -> System.out.println("term " + candidate.term().orElse(0));
				case "step down" -> candidate.stepDown(Duration.parse(command[1]));
				case "release by force" -> locks.inspector().forceRelease("", candidate.key());
				case "watch" -> watch(new Watch(candidate, watched, Path.of(command[1])));
				case "stop" -> candidate.stop(() -> System.out.println("stopped"));
				default -> throw new IllegalArgumentException(line);
			}
		}
		System.exit(0);
	}

	private static void watch(Watch watch) {
		Thread thread = new Thread(watch, "watch");
		thread.setDaemon(true);
		thread.start();
	}

}
