package io.leasehold.test.contract;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;

import io.leasehold.HeldLock;
import io.leasehold.LockBusyException;
import io.leasehold.LockException;
import io.leasehold.LockLostException;
import io.leasehold.LockMode;
import io.leasehold.LockOptions;
import io.leasehold.engine.Access;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.service.LockService;
import io.leasehold.service.ReleaseTiming;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/**
 * Another JVM that acquires locks on command, and can be killed, frozen and woken. One
 * that lived through a test serves the next one, with a new engine.
 */
public final class LockProcess implements AutoCloseable {

	private static final Duration PATIENCE = Duration.ofMinutes(5);

	private static final long HOLD = Duration.ofMillis(3).toNanos();

	/** Where numbers are written in other digits. */
	private static final Map<String, String> EGYPT = Map.of("JAVA_TOOL_OPTIONS",
			"-Duser.language=ar -Duser.country=EG");

	/** JVMs that earlier tests started, and that have closed their engines. */
	private static final Queue<JvmProcess> SPARE = new ConcurrentLinkedQueue<>();

	private final JvmProcess process;

	private final Consumer<JvmProcess> whenClosed;

	/** Whether the process has responded to all commands, and runs. */
	private boolean idle;

	/** Whether the process was frozen between two requests. */
	private boolean still;

	private LockProcess(JvmProcess process, EngineAddress address, String namespace, Consumer<JvmProcess> whenClosed) {
		this.process = process;
		this.whenClosed = whenClosed;
		tell("open " + String.join(" ", address.commandLine(namespace)));
		expect("ready");
	}

	/**
	 * Connect another JVM, which writes numbers in other digits, to a store.
	 * @param address where the store is
	 * @param namespace namespace of its locks
	 * @return the process, to be closed
	 */
	public static LockProcess start(EngineAddress address, String namespace) {
		JvmProcess spare = SPARE.poll();
		return new LockProcess((spare != null) ? spare : JvmProcess.start(LockProcess.class, List.of(), EGYPT), address,
				namespace, SPARE::add);
	}

	/**
	 * Start another JVM that is connected to a store.
	 * @param address where the store is
	 * @param namespace namespace of its locks
	 * @param environment additional environment variables
	 * @return the process, to be closed
	 */
	static LockProcess start(EngineAddress address, String namespace, Map<String, String> environment) {
		return new LockProcess(JvmProcess.start(LockProcess.class, List.of(), environment), address, namespace,
				JvmProcess::close);
	}

	/**
	 * Acquire a lock.
	 * @param key the key
	 * @param lease its lease
	 * @return its fencing token
	 */
	public long acquire(String key, Duration lease) {
		return acquire(key, lease, Access.EXCLUSIVE);
	}

	/** Acquire a lock with the given access, and return its fencing token. */
	long acquire(String key, Duration lease, Access access) {
		return acquire(key, lease, Duration.ZERO, access);
	}

	/** Acquire a lock with a min hold, and return its fencing token. */
	long acquire(String key, Duration lease, Duration minHold) {
		return acquire(key, lease, minHold, Access.EXCLUSIVE);
	}

	private long acquire(String key, Duration lease, Duration minHold, Access access) {
		tell("acquire %s %d %d %s".formatted(key, lease.toMillis(), minHold.toMillis(), access.code()));
		return Long.parseLong(expect("acquired"));
	}

	/**
	 * Return whether the lock is valid from the process's point of view.
	 * @param key the key
	 * @return the result of {@code isValid()} in that process
	 */
	public boolean isValid(String key) {
		tell("check " + key);
		return Boolean.parseBoolean(expect("valid"));
	}

	/**
	 * Release a lock.
	 * @param key the key
	 * @return whether it was held until the release
	 */
	public boolean release(String key) {
		tell("release " + key);
		return Boolean.parseBoolean(expect("kept"));
	}

	/** Begin to wait for a lock, in addition to the locks that the process holds. */
	void beginToWait(String key, Duration waitTime) {
		tell("wait %s %d".formatted(key, waitTime.toMillis()));
		this.process.expect("waits");
	}

	/**
	 * Wait for the end of that wait, and return the name of its exception, or nothing.
	 */
	String endOfWait() {
		return expect("waited");
	}

	/** Return the time of the process's wall clock, in milliseconds. */
	long wallClock() {
		tell("time");
		return Long.parseLong(expect("time"));
	}

	/** Acquire and release a lock until the process parks it for its next caller. */
	void park(String key, Duration linger) {
		tell("park %s %d".formatted(key, linger.toMillis()));
		expect("parked");
	}

	/**
	 * Begin to sell a unit under a lock that the process holds, up to the moment between
	 * reading and writing.
	 */
	void beginToSell(String key, String shop) {
		tell("sell %s %s".formatted(key, shop));
		this.process.expect("read");
	}

	/** Continue the sale, as soon as the process is able to. */
	void goOn() {
		tell("go on");
	}

	/** Return the result of the sale: empty, or the name of the exception. */
	String sold() {
		return expect("sold");
	}

	/**
	 * Acquire and release a lock repeatedly; {@link #contended()} returns the holds.
	 */
	void contend(String key, Duration time, Duration lease) {
		tell("contend %s %d %d".formatted(key, time.toMillis(), lease.toMillis()));
	}

	/** Wait for the end of a contention. */
	List<History.Interval> contended() {
		List<History.Interval> intervals = new ArrayList<>();
		int count = Integer.parseInt(this.process.expect("contended"));
		for (int i = 0; i < count; i++) {
			String[] numbers = this.process.expect("interval").split(" ");
			intervals.add(new History.Interval(Long.parseLong(numbers[0]), Long.parseLong(numbers[1]),
					Long.parseLong(numbers[2]), Long.parseLong(numbers[3])));
		}
		this.idle = true;
		return intervals;
	}

	/**
	 * End the process as a power failure does.
	 */
	public void kill() {
		this.idle = false;
		this.process.kill();
	}

	/**
	 * Stop the process until it is woken, between two requests to the store. Some stores
	 * execute a request in several steps, and keep the key unavailable between them.
	 */
	public void freeze() {
		this.process.tell("stand still");
		this.process.expect("still");
		this.still = true;
		freezeAtAnyMoment();
	}

	/** Stop the process until it is woken, maybe in the middle of a request. */
	void freezeAtAnyMoment() {
		this.idle = false;
		this.process.freeze();
	}

	/**
	 * Continue the process after it was frozen.
	 */
	public void wake() {
		this.process.wake();
		if (this.still) {
			this.still = false;
			this.process.tell("move");
		}
	}

	@Override
	public void close() {
		if (this.idle) {
			tell("close");
			expect("closed");
			this.whenClosed.accept(this.process);
		}
		else {
			this.process.close();
		}
	}

	private void tell(String command) {
		this.idle = false;
		this.process.tell(command);
	}

	/** Wait for the response to the last command. */
	private String expect(String word) {
		String response = this.process.expect(word);
		this.idle = true;
		return response;
	}

	/**
	 * Run the other process.
	 * @param args none
	 * @throws Exception if its standard input breaks, or an engine cannot be closed
	 */
	public static void main(String[] args) throws Exception {
		Awaitility.setDefaultTimeout(PATIENCE); // for openers that wait
		BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
		for (String line = commands.readLine(); line != null; line = commands.readLine()) {
			List<String> words = List.of(line.split(" "));
			Connected connected = Connected.to(words.get(1), words.get(2), words.subList(3, words.size()));
			try {
				System.out.println("ready");
				connected.carryOut(commands);
			}
			finally {
				connected.close();
			}
			System.out.println("closed");
		}
		System.exit(0);
	}

	static void park(LockService locks, String key, LockOptions options) {
		do {
			locks.acquire(key, options).close();
		}
		while (locks.inspector().overview().parked().isEmpty());
	}

	private static LockOptions with(Access access, LockOptions options) {
		return switch (access.kind()) {
			case EXCLUSIVE -> options;
			case SHARED -> options.toBuilder().mode(LockMode.SHARED).build();
			case PERMITS -> options.toBuilder().permits(access.limit()).build();
		};
	}

	private static String sell(HeldLock lock, FencedShop shop, Runnable pause) {
		try {
			shop.sell(lock, () -> {
				System.out.println("read");
				pause.run();
			});
			return "";
		}
		catch (RuntimeException ex) {
			return ex.getClass().getSimpleName();
		}
	}

	private static boolean close(HeldLock lock) {
		try {
			lock.close();
			return true;
		}
		catch (LockLostException ex) {
			return false;
		}
	}

	private static void contend(LockService locks, String key, LockOptions options, Duration time) {
		List<History.Interval> intervals = new ArrayList<>();
		long end = System.nanoTime() + PATIENCE.toNanos();
		do { // at least one hold, however little time a busy machine leaves this process
			contend(locks, key, options, System.nanoTime() + time.toNanos(), intervals::add);
		}
		while (intervals.isEmpty() && System.nanoTime() - end < 0);
		System.out.println("contended " + intervals.size());
		for (History.Interval interval : intervals) {
			System.out.println("interval %d %d %d %d".formatted(interval.token(), interval.requested(),
					interval.acquired(), interval.ended()));
		}
	}

	/** Acquire and release a lock until a time of the monotonic clock. */
	static void contend(LockService locks, String key, LockOptions options, long until,
			Consumer<History.Interval> recorder) {
		while (System.nanoTime() - until < 0) {
			long requested = System.nanoTime();
			try (HeldLock lock = locks.acquire(key, options)) {
				hold(lock, requested, recorder);
			}
			catch (LockBusyException | LockLostException ex) {
				continue;
			}
			catch (LockException ex) {
				System.err.println(ex.getMessage());
			}
		}
	}

	/**
	 * Hold a lock for a while. It counts as held at a moment only if a later check found
	 * it valid, so that a pause of this process in between is not counted.
	 */
	private static void hold(HeldLock lock, long requested, Consumer<History.Interval> recorder) {
		long acquired = System.nanoTime();
		if (!lock.isValid()) {
			return;
		}
		long ended = acquired;
		while (ended - acquired < HOLD) {
			long now = System.nanoTime();
			if (!lock.isValid()) {
				break;
			}
			ended = now;
		}
		recorder.accept(new History.Interval(lock.fencingToken(), requested, acquired, ended));
	}

	private static Duration millis(String text) {
		return Duration.ofMillis(Long.parseLong(text));
	}

	/**
	 * Locks of a store.
	 */
	private record Connected(PausableEngine engine, LockService locks, LockOptions defaults,
			Map<String, HeldLock> held) {

		private static Connected to(String opener, String namespace, List<String> arguments) {
			Member member = Member.of("other");
			PausableEngine engine = new PausableEngine(EngineAddress.open(opener, namespace, member, arguments));
			LockOptions defaults = new LockOptions("other", engine.name(), EngineContractFixture.LONG_LEASE,
					EngineContractFixture.LONG_WAIT, Duration.ZERO, LockOptions.UNLIMITED);
			LockService locks = new LockService(TestSettings.of(defaults), List.of(new ShortLeases(engine)), member,
					MonotonicClock.SYSTEM, List.of(), ReleaseTiming.IMMEDIATE);
			return new Connected(engine, locks, defaults, new HashMap<>());
		}

		/** Carry out commands until it is to be closed. */
		private void carryOut(BufferedReader commands) throws IOException {
			for (String line = next(commands); line != null && !line.equals("close"); line = next(commands)) {
				carryOut(line.split(" "), commands);
			}
		}

		/** Read the next command. Another one may let the engine stand still before. */
		private @Nullable String next(BufferedReader commands) throws IOException {
			String line = commands.readLine();
			while ("stand still".equals(line)) {
				this.engine.pause();
				System.out.println("still");
				commands.readLine(); // until it is to move
				this.engine.resume();
				line = commands.readLine();
			}
			return line;
		}

		private void awaitNext(BufferedReader commands) {
			try {
				next(commands);
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}

		private void carryOut(String[] words, BufferedReader commands) {
			switch (words[0]) {
				case "acquire" -> {
					HeldLock lock = this.locks.acquire(words[1], with(Access.parse(words[4]),
							this.defaults.toBuilder().lease(millis(words[2])).minHold(millis(words[3])).build()));
					this.held.put(words[1], lock);
					System.out.println("acquired " + lock.fencingToken());
				}
				case "check" -> System.out.println("valid " + this.held.get(words[1]).isValid());
				case "wait" -> {
					CompletableFuture<HeldLock> wait = this.locks.acquireAsync(words[1],
							this.defaults.toBuilder().waitTime(millis(words[2])).build());
					System.out.println("waits");
					wait.whenComplete((lock, failure) -> System.out
						.println("waited " + ((failure != null) ? failure.getClass().getSimpleName() : "")));
				}
				case "park" -> {
					park(this.locks, words[1], this.defaults.toBuilder().linger(millis(words[2])).build());
					System.out.println("parked");
				}
				case "time" -> System.out.println("time " + System.currentTimeMillis());
				case "release" -> System.out.println("kept " + LockProcess.close(this.held.remove(words[1])));
				case "sell" -> System.out.println(
						"sold " + sell(this.held.get(words[1]), new FencedShop(words[2]), () -> awaitNext(commands)));
				case "contend" -> contend(this.locks, words[1],
						this.defaults.toBuilder().lease(millis(words[3])).build(), millis(words[2]));
				default -> throw new IllegalArgumentException(words[0]);
			}
		}

		private void close() throws Exception {
			this.locks.close();
			this.engine.close();
		}

	}

}
