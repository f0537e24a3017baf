package io.leasehold.autoconfigure.actuate;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.leasehold.DistributedLocks;
import io.leasehold.HeldLock;
import io.leasehold.LockDeadlocks;
import io.leasehold.LockDeadlocks.Wait;
import io.leasehold.LockException;
import io.leasehold.LockInspector;
import io.leasehold.autoconfigure.Leasehold;
import io.leasehold.server.EtcdTestServer;
import io.leasehold.server.RedisTestServer;
import io.leasehold.server.ZooKeeperTestServer;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.tuple;

/**
 * Threads of two instances wait for each other's locks: either instance finds that in the
 * store.
 */
class DeadlocksBetweenInstancesIntegrationTests {

	private final List<Thread> threads = new ArrayList<>();

	@ParameterizedTest
	@ValueSource(strings = { "redis", "zookeeper", "etcd" })
	void eitherInstanceFindsADeadlockAndNoChain(String engine) {
		ApplicationContextRunner runner = runner(engine);
		runner.withPropertyValues("spring.application.name=bank")
			.run((bank) -> runner.withPropertyValues("spring.application.name=depot").run((depot) -> {
				try {
					CountDownLatch completes = new CountDownLatch(1);
					begin(bank, "payer", "order:1", "stock:1", completes);
					begin(depot, "packer", "stock:1", "order:1", new CountDownLatch(0));
					awaitWaiting(depot);
					assertThat(search(bank, engine)).isEqualTo(new LockDeadlocks(List.of(), true));
					assertThat(search(depot, engine)).isEqualTo(new LockDeadlocks(List.of(), true));
					completes.countDown();
					awaitWaiting(bank);
					for (ApplicationContext instance : List.of(bank, depot)) {
						Instant now = Instant.now();
						assertThat(search(instance, engine).cycles()).singleElement()
							.satisfies((cycle) -> assertThat(cycle)
								.allMatch((wait) -> wait.process() == ProcessHandle.current().pid())
								.allMatch((wait) -> Duration.between(wait.since(), now).abs().toMinutes() < 5)
								.extracting(Wait::application, Wait::thread, Wait::key)
								.containsExactlyInAnyOrder(tuple("bank", "payer", "stock:1"),
										tuple("depot", "packer", "order:1")));
					}
				}
				finally {
					endThreads();
				}
			}));
	}

	/** A row of the database names only the process that waits. */
	@Test
	void engineWhoseStoreDoesNotKnowWhichThreadsWaitIsRefused() {
		runner("jdbc").withPropertyValues("spring.datasource.url=jdbc:h2:mem:deadlocks")
			.run((context) -> assertThatExceptionOfType(UnsupportedOperationException.class)
				.isThrownBy(() -> search(context, "jdbc"))
				.withMessage("Engine 'jdbc' cannot find deadlocks: its store does not know which threads wait"));
	}

	private static ApplicationContextRunner runner(String engine) {
		return Leasehold.runner()
			.withConfiguration(
					AutoConfigurations.of(DataRedisAutoConfiguration.class, DataSourceAutoConfiguration.class))
			.withPropertyValues(Leasehold.patient())
			.withPropertyValues("leasehold.namespace=deadlocks-" + UUID.randomUUID(), "leasehold.engine=" + engine,
					"leasehold.wait-time=5m", "leasehold.jdbc.initialize-schema=always",
					"spring.data.redis.port=" + RedisTestServer.shared().port(),
					"leasehold.zookeeper.connect-string=" + ZooKeeperTestServer.shared(),
					"leasehold.etcd.endpoints=" + EtcdTestServer.shared().url());
	}

	/** Acquire a lock, and on command another one until the test ends. */
	@SuppressWarnings("try")
	private void begin(ApplicationContext instance, String name, String first, String second, CountDownLatch command)
			throws InterruptedException {
		DistributedLocks locks = instance.getBean(DistributedLocks.class);
		CountDownLatch holds = new CountDownLatch(1);
		Thread thread = new Thread(() -> {
			try (HeldLock outer = locks.acquire(first)) {
				holds.countDown();
				command.await();
				locks.acquire(second).close();
			}
			catch (InterruptedException | LockException ex) {
				// The test has ended
			}
		}, name);
		this.threads.add(thread);
		thread.start();
		assertThat(holds.await(1, TimeUnit.MINUTES)).isTrue();
	}

	private static void awaitWaiting(ApplicationContext instance) {
		LockInspector inspector = instance.getBean(LockInspector.class);
		Awaitility.await().until(() -> inspector.overview().waiting().size() == 1);
	}

	private void endThreads() throws InterruptedException {
		for (Thread thread : this.threads) {
			thread.interrupt();
			thread.join();
		}
	}

	private static LockDeadlocks search(ApplicationContext instance, String engine) {
		return instance.getBean(LockInspector.class).deadlocks(engine);
	}

}
