package io.leasehold.soak;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import com.hazelcast.client.HazelcastClient;
import com.zaxxer.hikari.HikariDataSource;
import io.leasehold.LockException;
import io.leasehold.LockOptions;
import io.leasehold.LockOverview;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.Member;
import io.leasehold.interceptor.BodyThreads;
import io.leasehold.metrics.LockMetrics;
import io.leasehold.service.LockService;
import io.leasehold.service.ScarceThreads;
import io.leasehold.soak.Holder.Character;
import io.leasehold.test.contract.TestSettings;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import reactor.core.publisher.Hooks;

/**
 * A JVM of a soak: for each engine three holders, one of whom is heedless, and one that
 * cancels; and for all engines one whose commits have unknown outcomes. Reactor works as
 * with {@code spring.reactor.context-propagation=auto}.
 */
final class SoakWorker {

	private static final int HOLDERS = 3;

	private static final Duration PATIENCE = Duration.ofMinutes(3);

	private final MeterRegistry meters = new SimpleMeterRegistry();

	private final HikariDataSource database = new HikariDataSource();

	private final List<Actor> actors = new ArrayList<>();

	private final ScarceThreads scarce = new ScarceThreads();

	private final BodyThreads bodies = new BodyThreads(() -> null, 8);

	private final BreakingDatabase breaking;

	private final List<Thread> threads = new ArrayList<>();

	private final List<LockEngine> engines;

	private final LockService locks;

	private SoakWorker(Orders orders) {
		Member member = Member.of("soak");
		this.engines = SoakEngines.open(orders, member);
		LockOptions defaults = new LockOptions("soak", this.engines.get(0).name(), SoakEngines.LEASE,
				Duration.ofSeconds(4), Duration.ZERO, LockOptions.UNLIMITED);
		this.locks = this.scarce.service(TestSettings.of(defaults), this.engines, member,
				List.of(new LockMetrics(this.meters)));
		this.database.setJdbcUrl(Stores.postgresUrl(orders.ledger()));
		this.breaking = new BreakingDatabase(orders.ledger(), new Random(orders.seed()));
		employ(orders);
	}

	private void employ(Orders orders) {
		Diary diary = new Diary(orders.diary());
		FencedLedger obeying = new FencedLedger(this.database, true);
		FencedLedger heedless = new FencedLedger(this.database, false);
		Random random = new Random(orders.seed());
		for (LockEngine engine : this.engines) {
			boolean fenced = engine.numbersAlwaysGrow();
			for (int i = 0; i < HOLDERS; i++) {
				Character character = orders.naive() ? Character.NAIVE
						: (i > 0) ? Character.OBEYING : Character.HEEDLESS;
				this.actors.add(new Holder(this.locks, this.locks.defaults().toBuilder().engine(engine.name()).build(),
						character, !fenced ? null : (character == Character.OBEYING) ? obeying : heedless, diary,
						new Random(random.nextLong())));
			}
			this.actors
				.add(new Canceller(this.locks, engine.name(), this.bodies, diary, new Random(random.nextLong())));
		}
		List<String> fenced = this.engines.stream()
			.filter(LockEngine::numbersAlwaysGrow)
			.map(LockEngine::name)
			.toList();
		this.actors.add(new Committer(this.locks, fenced, this.breaking, diary, new Random(random.nextLong())));
	}

	/** Begin when each store has responded, however long the first connection takes. */
	private void start() {
		takeAll();
		for (Actor actor : this.actors) {
			Thread thread = new Thread(actor, "actor");
			this.threads.add(thread);
			thread.start();
		}
	}

	private void rest() throws InterruptedException {
		this.actors.forEach(Actor::rest);
		for (Thread thread : this.threads) {
			thread.join();
		}
	}

	/** Take every lock once, which everybody can, however often calls fail meanwhile. */
	private void takeAll() {
		for (LockEngine engine : this.engines) {
			LockOptions options = this.locks.defaults().toBuilder().engine(engine.name()).waitTime(PATIENCE).build();
			Holder.KEYS.forEach((key) -> take(key, options));
		}
	}

	/**
	 * Rejected passwords fail at once. So do locks of a JVM that did not run for a lease.
	 * At the start, others compete for the lock, and not all stores have an order.
	 */
	private void take(String key, LockOptions options) {
		long until = System.nanoTime() + 3 * PATIENCE.toNanos();
		boolean taken = false;
		while (!taken) {
			try {
				this.locks.acquire(key, options).close();
				taken = true;
			}
			catch (LockException ex) {
				if (System.nanoTime() - until > 0) {
					throw ex;
				}
			}
		}
	}

	/** Shut down as an application does, and report what is left. */
	private List<String> leave() throws Exception {
		List<String> left = new ArrayList<>();
		CountDownLatch idle = new CountDownLatch(1);
		this.locks.drain(idle::countDown);
		if (!idle.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
			left.add("gates or claims");
		}
		LockOverview overview = this.locks.inspector().overview();
		left.addAll(overview.held().stream().map(Object::toString).toList());
		left.addAll(overview.waiting().stream().map(Object::toString).toList());
		for (String name : List.of("leasehold.held", "leasehold.waiting")) {
			left.addAll(this.meters.get(name)
				.gauges()
				.stream()
				.filter((gauge) -> gauge.value() != 0)
				.map((gauge) -> "%s is %s".formatted(gauge.getId(), gauge.value()))
				.toList());
		}
		this.locks.close();
		this.bodies.close();
		for (LockEngine engine : this.engines) {
			((AutoCloseable) engine).close();
		}
		HazelcastClient.shutdownAll();
		this.database.close();
		this.breaking.close();
		left.addAll(threadsLeft());
		return left;
	}

	/** Threads end when their work is done; so they are given a while. */
	private static List<String> threadsLeft() throws InterruptedException {
		long deadline = System.nanoTime() + PATIENCE.toNanos();
		List<String> left = threads();
		while (!left.isEmpty() && System.nanoTime() - deadline < 0) {
			Thread.sleep(100);
			left = threads();
		}
		return left;
	}

	/** Those of the library, and of the clients that it has started. */
	private static List<String> threads() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.map(Thread::getName)
			.filter((name) -> name.matches("(leasehold|lettuce|Curator|hz|main-).*"))
			.toList();
	}

	/**
	 * The other JVM.
	 * @param args its {@link Orders}
	 */
	public static void main(String[] args) {
		int status = 1;
		Hooks.enableAutomaticContextPropagation();
		try {
			obey(new SoakWorker(Orders.parse(args)));
			status = 0;
		}
		catch (Exception | Error ex) {
			ex.printStackTrace();
		}
		finally {
			System.exit(status); // whatever threads are left
		}
	}

	private static void obey(SoakWorker worker) throws Exception {
		worker.start();
		System.out.println("started");
		BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
		for (String command = commands.readLine(); command != null; command = commands.readLine()) {
			switch (command) {
				case "rest" -> worker.rest();
				case "take all" -> worker.takeAll();
				case "no threads" -> worker.scarce.exhausted(true);
				case "threads" -> worker.scarce.exhausted(false);
				case "leave" -> System.out.println("left " + worker.leave());
				default -> throw new IllegalArgumentException(command);
			}
			System.out.println("done");
		}
	}

}
