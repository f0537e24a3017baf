package io.leasehold.leadership;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
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

	private static final Duration LEASE = Duration.ofSeconds(3);

	final JvmProcess process;

	private LeadershipProcess(JvmProcess process) {
		this.process = process;
	}

	/** Start a candidate. */
	static LeadershipProcess start(EngineAddress address, String namespace) {
		return new LeadershipProcess(JvmProcess.start(LeadershipProcess.class, address.commandLine(namespace)));
	}

	/** Wait for a term of this process, and return its number. */
	long awaitTerm() {
		return Long.parseLong(nextEvent(Watch.GRANTED));
	}

	/** Wait for the end of a term of this process, and return its cause. */
	String awaitEnd() {
		return nextEvent(Watch.REVOKED);
	}

	/** All lines are responses, because a line that is not expected would be ignored. */
	private String nextEvent(String kind) {
		this.process.tell("next event");
		return this.process.expect(kind);
	}

	boolean isLeader() {
		this.process.tell("leads");
		return Boolean.parseBoolean(this.process.expect("leads"));
	}

	/** Let others lead for a while. */
	void stepDown(Duration pause) {
		this.process.tell("step down=" + pause);
	}

	/** Write down from now on whether this process leads, in place of its events. */
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
	 * @param args opener, namespace, and the opener's arguments
	 * @throws IOException if its standard input breaks
	 * @throws InterruptedException if it is interrupted
	 */
	public static void main(String[] args) throws IOException, InterruptedException {
		Awaitility.setDefaultTimeout(Duration.ofMinutes(1)); // for openers that wait
		Member member = Member.of("candidate");
		LockEngine engine = new ShortLeases(
				EngineAddress.open(args[0], args[1], member, List.of(args).subList(2, args.length)));
		LockOptions defaults = new LockOptions("test", engine.name(), LEASE, Duration.ZERO, Duration.ZERO,
				LockOptions.UNLIMITED);
		LockService locks = new LockService(TestSettings.of(defaults), List.of(engine), member, MonotonicClock.SYSTEM,
				List.of(), ReleaseTiming.IMMEDIATE);
		BlockingQueue<Object> events = new LinkedBlockingQueue<>();
		Candidate candidate = new Candidate(ROLE, locks, defaults, events::add);
		Instance.start(candidate);
		BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
		for (String line = commands.readLine(); line != null; line = commands.readLine()) {
			String[] command = line.split("=");
			switch (command[0]) {
				case "next event" -> System.out.println(Watch.text(events.take()));
				case "leads" -> System.out.println("leads " + candidate.isLeader());
				case "step down" -> candidate.stepDown(Duration.parse(command[1]));
				case "watch" -> watch(new Watch(candidate, events, Path.of(command[1])));
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
