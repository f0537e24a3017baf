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
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import io.leasehold.HeldLock;
import io.leasehold.LockBusyException;
import io.leasehold.LockException;
import io.leasehold.LockLostException;
import io.leasehold.LockMode;
import io.leasehold.LockOptions;
import io.leasehold.engine.Access;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.service.LockService;
import io.leasehold.service.ReleaseTiming;
import org.awaitility.Awaitility;

/**
 * Another JVM that acquires locks on command, and can be killed, frozen and woken.
 */
public final class LockProcess implements AutoCloseable {

	private static final Duration PATIENCE = Duration.ofMinutes(1);

	private static final long HOLD = Duration.ofMillis(3).toNanos();

	private final JvmProcess process;

	private LockProcess(JvmProcess process) {
		this.process = process;
	}

	/**
	 * Start another JVM that is connected to a store.
	 * @param address where the store is
	 * @param namespace namespace of its locks
	 * @return the process, to be closed
	 */
	public static LockProcess start(EngineAddress address, String namespace) {
		return start(address, namespace, Map.of());
	}

	/**
	 * Start another JVM that is connected to a store.
	 * @param address where the store is
	 * @param namespace namespace of its locks
	 * @param environment additional environment variables
	 * @return the process, to be closed
	 */
	public static LockProcess start(EngineAddress address, String namespace, Map<String, String> environment) {
		LockProcess started = new LockProcess(
				JvmProcess.start(LockProcess.class, address.commandLine(namespace), environment));
		started.expect("ready");
		return started;
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
		this.process.tell("acquire %s %d %d %s".formatted(key, lease.toMillis(), minHold.toMillis(), access.code()));
		return Long.parseLong(expect("acquired"));
	}

	/**
	 * Return whether the lock is valid from the process's point of view.
	 * @param key the key
	 * @return the result of {@code isValid()} in that process
	 */
	public boolean isValid(String key) {
		this.process.tell("check " + key);
		return Boolean.parseBoolean(expect("valid"));
	}

	/**
	 * Release a lock.
	 * @param key the key
	 * @return whether it was held until the release
	 */
	public boolean release(String key) {
		this.process.tell("release " + key);
		return Boolean.parseBoolean(expect("kept"));
	}

	/** Begin to wait for a lock, in addition to the locks that the process holds. */
	void beginToWait(String key, Duration waitTime) {
		this.process.tell("wait %s %d".formatted(key, waitTime.toMillis()));
		expect("waits");
	}

	/** Wait for the end of that wait, and return whether it failed with a busy lock. */
	boolean waitedInVain() {
		return expect("waited").equals("LockBusyException");
	}

	/** Return the time of the process's wall clock, in milliseconds. */
	long wallClock() {
		this.process.tell("time");
		return Long.parseLong(expect("time"));
	}

	/** Acquire and release a lock until the process parks it for its next caller. */
	void park(String key, Duration linger) {
		this.process.tell("park %s %d".formatted(key, linger.toMillis()));
		expect("parked");
	}

	/**
	 * Begin to sell a unit under a lock that the process holds, up to the moment between
	 * reading and writing.
	 */
	void beginToSell(String key, String shop) {
		this.process.tell("sell %s %s".formatted(key, shop));
		expect("read");
	}

	/** Continue the sale, as soon as the process is able to. */
	void goOn() {
		this.process.tell("go on");
	}

	/** Return the result of the sale: empty, or the name of the exception. */
	String sold() {
		return expect("sold");
	}

	/**
	 * Acquire and release a lock repeatedly; {@link #contended()} returns the holds.
	 */
	void contend(String key, Duration time, Duration lease) {
		this.process.tell("contend %s %d %d".formatted(key, time.toMillis(), lease.toMillis()));
	}

	/** Wait for the end of a contention. */
	List<History.Interval> contended() {
		List<History.Interval> intervals = new ArrayList<>();
		int count = Integer.parseInt(expect("contended"));
		for (int i = 0; i < count; i++) {
			String[] numbers = expect("interval").split(" ");
			intervals.add(new History.Interval(Long.parseLong(numbers[0]), Long.parseLong(numbers[1]),
					Long.parseLong(numbers[2]), Long.parseLong(numbers[3])));
		}
		return intervals;
	}

	/**
	 * End the process as a power failure does.
	 */
	public void kill() {
		this.process.kill();
	}

	/**
	 * Stop the process until it is woken.
	 */
	public void freeze() {
		this.process.freeze();
	}

	/**
	 * Continue the process after it was frozen.
	 */
	public void wake() {
		this.process.wake();
	}

	@Override
	public void close() {
		this.process.close();
	}

	private String expect(String word) {
		return this.process.expect(word);
	}

	/**
	 * Run the other process.
	 * @param args opener, namespace, and the opener's arguments
	 * @throws IOException if its standard input breaks
	 */
	public static void main(String[] args) throws IOException {
		Awaitility.setDefaultTimeout(PATIENCE); // for openers that wait
		Member member = Member.of("other");
		LockEngine engine = new ShortLeases(
				EngineAddress.open(args[0], args[1], member, List.of(args).subList(2, args.length)));
		LockOptions defaults = new LockOptions("other", engine.name(), Duration.ofSeconds(10), Duration.ofSeconds(20),
				Duration.ZERO, LockOptions.UNLIMITED);
		LockService locks = new LockService(TestSettings.of(defaults), List.of(engine), member, MonotonicClock.SYSTEM,
				List.of(), ReleaseTiming.IMMEDIATE);
		Map<String, HeldLock> held = new HashMap<>();
		BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
		System.out.println("ready");
		for (String line = commands.readLine(); line != null; line = commands.readLine()) {
			String[] words = line.split(" ");
			switch (words[0]) {
				case "acquire" -> {
					HeldLock lock = locks.acquire(words[1], with(Access.parse(words[4]),
							defaults.toBuilder().lease(millis(words[2])).minHold(millis(words[3])).build()));
					held.put(words[1], lock);
					System.out.println("acquired " + lock.fencingToken());
				}
				case "check" -> System.out.println("valid " + held.get(words[1]).isValid());
				case "wait" -> {
					CompletableFuture<HeldLock> wait = locks.acquireAsync(words[1],
							defaults.toBuilder().waitTime(millis(words[2])).build());
					System.out.println("waits");
					wait.whenComplete((lock, failure) -> System.out
						.println("waited " + ((failure != null) ? failure.getClass().getSimpleName() : "")));
				}
				case "park" -> {
					park(locks, words[1], defaults.toBuilder().linger(millis(words[2])).build());
					System.out.println("parked");
				}
				case "time" -> System.out.println("time " + System.currentTimeMillis());
				case "release" -> System.out.println("kept " + close(held.remove(words[1])));
				case "sell" ->
					System.out.println("sold " + sell(held.get(words[1]), new FencedShop(words[2]), commands));
				case "contend" ->
					contend(locks, words[1], defaults.toBuilder().lease(millis(words[3])).build(), millis(words[2]));
				default -> throw new IllegalArgumentException(line);
			}
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

	private static String sell(HeldLock lock, FencedShop shop, BufferedReader commands) {
		try {
			shop.sell(lock, () -> {
				System.out.println("read");
				readLine(commands);
			});
			return "";
		}
		catch (RuntimeException ex) {
			return ex.getClass().getSimpleName();
		}
	}

	private static void readLine(BufferedReader commands) {
		try {
			commands.readLine();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
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
		contend(locks, key, options, System.nanoTime() + time.toNanos(), intervals::add);
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

}
