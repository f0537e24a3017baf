package io.leasehold.autoconfigure;

import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.leasehold.DistributedLocks;
import io.leasehold.HeldLock;
import io.leasehold.LockEngineException;
import io.leasehold.LockLostException;
import io.leasehold.test.contract.Fault;
import io.micrometer.core.instrument.MeterRegistry;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.health.contributor.Status;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The part of the contract that is about the start and the end of applications.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class ApplicationLifeContract {

	static final String KEY = "order:4711";

	/** A thread for each task: the common pool may have too few. */
	private static final Executor THREADS = (task) -> new Thread(task, "test").start();

	private static final Pattern WORKERS = Pattern
		.compile("ForkJoinPool(\\.commonPool.*|-\\d+-worker-\\d+)|grpc-[\\w-]+"
				+ "|lettuce-(epoll|event|nio)\\w+Loop-\\d+-\\d+|hz\\..+\\.(cached\\.thread|internal)-\\d+");

	private final String namespace = "application-" + UUID.randomUUID();

	/** Stands for another process. */
	RunningApplication other;

	/**
	 * Connect an application to the store of all tests.
	 * @param application what is going to be started
	 */
	protected abstract void connect(SpringApplicationBuilder application);

	/**
	 * Connect an application to an address where no store is.
	 * @param application what is going to be started
	 */
	protected abstract void connectToNothing(SpringApplicationBuilder application);

	@BeforeAll
	void startOther() {
		this.other = start("leasehold.on-lost=warn", "leasehold.fail-fast=true");
	}

	@AfterAll
	void closeOther() {
		this.other.close();
	}

	/**
	 * An application is stopped while a method runs under its lock: that ends under its
	 * lock, no other begins, and the next owner does not wait for a lease.
	 */
	@Test
	@Fault(88)
	void closedApplicationLetsItsHolderFinishAndTheNextOneIn() throws Exception {
		RunningApplication closing = start("leasehold.lease=5m");
		DistributedLocks locks = closing.locks();
		CountDownLatch inside = new CountDownLatch(1);
		CountDownLatch goOn = new CountDownLatch(1);
		CompletableFuture<Boolean> body = new CompletableFuture<>();
		LockedApplication.Orders orders = closing.orders();
		body.completeAsync(() -> call(orders, inside, goOn), THREADS);
		inside.await();
		CompletableFuture<HeldLock> next = this.other.locks().acquireAsync(KEY);
		CompletableFuture<Void> closed = CompletableFuture.runAsync(closing::close, THREADS);
		eventually().untilAsserted(() -> assertThatExceptionOfType(LockEngineException.class)
			.isThrownBy(() -> locks.acquire("another").close())
			.withMessageContaining("shutting down"));
		assertThat(next).isNotDone();
		goOn.countDown();
		assertThat(body.get()).as("valid to the end").isTrue();
		next.get(1, TimeUnit.MINUTES).close();
		closed.get();
	}

	private static boolean call(LockedApplication.Orders orders, CountDownLatch inside, CountDownLatch goOn) {
		try {
			return orders.call(KEY, () -> {
				inside.countDown();
				goOn.await();
				return HeldLock.current().isValid();
			});
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * A body runs on when the grace of the shutdown is over: it is notified, and nobody
	 * gets in beside it before its lease is over.
	 */
	@Test
	@Fault(88)
	void bodyThatOutlastsTheShutdownIsNotifiedAndItsKeyLeftToItsLease() throws Exception {
		RunningApplication closing = start("leasehold.lease=3s", "leasehold.jdbc.call-timeout=1s",
				"leasehold.zookeeper.call-timeout=1s", "leasehold.etcd.call-timeout=1s",
				"leasehold.hazelcast.call-timeout=750ms", "leasehold.memcached.call-timeout=750ms",
				"leasehold.redlock.command-timeout=1s", "leasehold.redis.command-timeout=1s",
				"spring.lifecycle.timeout-per-shutdown-phase=100ms");
		HeldLock held = closing.locks().acquire(KEY);
		CompletableFuture<LockLostException> notified = new CompletableFuture<>();
		held.onLost(notified::complete);
		long leaseEnd = System.nanoTime() + held.remaining().toNanos();
		closing.close();
		assertThat(held.isValid()).isFalse();
		assertThat(notified.get(1, TimeUnit.MINUTES)).hasMessageContaining(KEY);
		this.other.locks().acquire(KEY).close();
		assertThat(System.nanoTime() - leaseEnd).isPositive();
	}

	/**
	 * Applications come and go in one JVM, as by a restart for development: each has its
	 * own identity, locks and meters, and leaves no thread behind.
	 */
	@Test
	@Fault(89)
	void applicationsInOneJvmAreApartAndLeaveNothing() throws Exception {
		// Starts its threads; a test before may have left the key to its lease
		eventually().pollInSameThread().until(() -> this.other.findsFree(KEY));
		Set<Thread> before = threads();
		Set<String> members = new HashSet<>();
		members.add(this.other.member());
		for (int i = 0; i < 2; i++) {
			MeterRegistry meters;
			try (RunningApplication passing = start()) {
				members.add(passing.member());
				meters = passing.meters();
				handOn(this.other, passing);
			}
			assertThat(meters.isClosed()).isTrue();
			assertThat(this.other.meters().isClosed()).isFalse();
			assertThat(this.other.findsFree(KEY)).isTrue();
		}
		assertThat(members).hasSize(3);
		eventually().pollInSameThread().untilAsserted(() -> {
			System.gc(); // the JDK's HTTP client ends its thread when it is unreachable
			assertThat(threads()).isSubsetOf(before);
		});
	}

	private static void handOn(RunningApplication from, RunningApplication to) throws Exception {
		HeldLock held = from.locks().acquire(KEY);
		CompletableFuture<HeldLock> next = to.locks().acquireAsync(KEY);
		eventually().until(() -> to.gauge("leasehold.waiting") == 1);
		assertThat(from.gauge("leasehold.waiting")).isZero();
		held.close();
		next.get(60, TimeUnit.SECONDS).close();
	}

	/**
	 * Those alive, without what the JVM or JUnit starts. An open client of HTTP or Redis,
	 * or Hazelcast instance, may start another worker at any time; its other threads show
	 * whether it was closed.
	 */
	private static Set<Thread> threads() {
		Set<Thread> threads = new HashSet<>(Thread.getAllStackTraces().keySet());
		threads.removeIf((thread) -> WORKERS.matcher(thread.getName()).matches());
		return threads;
	}

	/**
	 * The store is down when the application starts: that starts, says so by its health,
	 * and no method runs without its lock.
	 */
	@Test
	@Fault({ 91, 92 })
	void applicationStartsWithoutItsStoreAndFailsClosed() {
		try (RunningApplication application = startWithoutStore()) {
			assertThat(application.health()).isEqualTo(Status.DOWN);
			assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> application.orders().call(KEY, () -> {
				throw new AssertionError("The body ran without its lock");
			})).withMessageContaining(KEY);
			assertThat(application.calls("unavailable")).isOne();
			assertThat(application.calls("bypassed")).isZero();
		}
	}

	/**
	 * The store is down when an application starts that insists on it: that stops, and
	 * says why.
	 */
	@Test
	@Fault(91)
	void applicationThatInsistsOnItsStoreDoesNotStartWithoutIt() {
		assertThatExceptionOfType(LockEngineConfigurationException.class)
			.isThrownBy(() -> startWithoutStore("leasehold.fail-fast=true").close())
			.withMessageContaining("grants no locks")
			.withMessageContaining("leasehold.fail-fast");
	}

	/**
	 * The store is down and the application prefers to go on without locks: it says so,
	 * and each such call is counted.
	 */
	@Test
	@Fault(92)
	void bypassIsAskedForAndCounted() throws Exception {
		try (RunningApplication application = startWithoutStore("leasehold.when-unavailable=proceed")) {
			assertThat(application.orders().call(KEY, () -> "ran")).isEqualTo("ran");
			assertThat(application.calls("bypassed")).isOne();
			assertThat(application.calls("unavailable")).isZero();
		}
	}

	/** Start one more application. */
	RunningApplication start(String... properties) {
		SpringApplicationBuilder application = application(properties);
		connect(application);
		return new RunningApplication(application.run());
	}

	private RunningApplication startWithoutStore(String... properties) {
		SpringApplicationBuilder application = application(properties).properties("leasehold.wait-time=100ms",
				"leasehold.jdbc.call-timeout=300ms", "leasehold.zookeeper.call-timeout=300ms",
				"leasehold.etcd.call-timeout=300ms", "leasehold.hazelcast.call-timeout=300ms",
				"leasehold.memcached.call-timeout=300ms", "leasehold.redlock.command-timeout=300ms",
				"leasehold.redis.command-timeout=300ms");
		connectToNothing(application);
		return new RunningApplication(application.run());
	}

	private SpringApplicationBuilder application(String... properties) {
		List<String> common = List.of("spring.datasource.url=jdbc:h2:mem:" + this.namespace + ";DB_CLOSE_DELAY=-1",
				"leasehold.namespace=" + this.namespace, "leasehold.wait-time=60s");
		return LockedApplication.builder()
			.properties(Leasehold.patient())
			.properties(Stream.concat(common.stream(), Arrays.stream(properties)).toArray(String[]::new));
	}

	static ConditionFactory eventually() {
		return Awaitility.await();
	}

}
