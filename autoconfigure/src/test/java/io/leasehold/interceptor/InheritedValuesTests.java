package io.leasehold.interceptor;

import java.net.URL;
import java.net.URLClassLoader;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

import io.leasehold.DistributedLocks;
import io.leasehold.HeldLock;
import io.leasehold.LockAcquisitionFailedEvent;
import io.leasehold.LockBusyException;
import io.leasehold.LockInspector;
import io.leasehold.LockKey;
import io.leasehold.annotation.DistributedLock;

import io.leasehold.event.LockEvent;
import io.leasehold.event.LockEventListener;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

import org.springframework.context.event.EventListener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests that code of the application, which runs in threads of the library, finds nothing
 * there of the caller for whom they were started, such as its user or tenant.
 */
class InheritedValuesTests {

	private static final InheritableThreadLocal<@Nullable String> TENANT = new InheritableThreadLocal<>();

	private static final ClassLoader APPLICATION = Thread.currentThread().getContextClassLoader();

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void threadsInheritNothingOfTheFirstCaller(boolean virtual) {
		Set<Thread> earlier = Thread.getAllStackTraces().keySet();
		Locked.runner(Code.class, Orders.class)
			.withPropertyValues("spring.threads.virtual.enabled=" + virtual)
			.run((context) -> {
				Code code = context.getBean(Code.class);
				Orders orders = context.getBean(Orders.class);
				DistributedLocks locks = context.getBean(DistributedLocks.class);
				inThreadOf("first", () -> use(locks, orders, context.getBean(LockInspector.class), code));
				code.values.clear();
				inThreadOf(null, () -> use(locks, orders, context.getBean(LockInspector.class), code));
				Map<String, String> expected = new TreeMap<>();
				for (String part : new String[] { "future", "loss", "stage", "publisher", "listener", "event" }) {
					expected.put(part, "null, application");
				}
				await().atMost(Locked.SOON).untilAsserted(() -> assertThat(code.values).containsAllEntriesOf(expected));
				assertThat(Thread.getAllStackTraces().keySet())
					.filteredOn((thread) -> thread.getName().startsWith("leasehold-") && !earlier.contains(thread))
					.isNotEmpty()
					.allMatch((thread) -> thread.getContextClassLoader() == APPLICATION)
					.allMatch((thread) -> thread.getPriority() == Thread.NORM_PRIORITY);
			});
	}

	private static void use(DistributedLocks locks, Orders orders, LockInspector inspector, Code code) {
		locks.acquireAsync("a").thenAccept((held) -> {
			code.note("future");
			held.close();
		}).join();
		assertThat(orders.stage(code).join()).isEqualTo("paid");
		assertThat(orders.publisher(code).block()).isEqualTo("paid");
		CompletableFuture<Void> lost = new CompletableFuture<>();
		HeldLock held = locks.acquire("b");
		held.onLost((loss) -> {
			code.note("loss");
			lost.complete(null);
		});
		assertThatExceptionOfType(LockBusyException.class).isThrownBy(() -> locks.acquire("b"));
		inspector.forceRelease("local", new LockKey("b"));
		assertThat(lost).succeedsWithin(Locked.SOON);
	}

	/**
	 * Run something in a new thread, which has a class loader of its own if it has a
	 * tenant.
	 */
	private static void inThreadOf(@Nullable String tenant, Runnable action) {
		CompletableFuture<Void> end = new CompletableFuture<>();
		Locked.execute(() -> {
			if (tenant != null) {
				TENANT.set(tenant);
				Thread.currentThread().setPriority(Thread.MIN_PRIORITY);
				Thread.currentThread().setContextClassLoader(new URLClassLoader(new URL[0], APPLICATION));
			}
			try {
				action.run();
				end.complete(null);
			}
			catch (Throwable ex) {
				end.completeExceptionally(ex);
			}
		});
		end.join();
	}

	static class Orders {

		@DistributedLock(key = "'stage'", waitTime = "10s")
		CompletableFuture<String> stage(Code code) {
			code.note("stage");
			return CompletableFuture.completedFuture("paid");
		}

		@DistributedLock(key = "'publisher'", waitTime = "10s")
		Mono<String> publisher(Code code) {
			code.note("publisher");
			return Mono.just("paid");
		}

	}

	/** Code of the application that notes which values it finds. */
	static class Code implements LockEventListener {

		final Map<String, String> values = new ConcurrentHashMap<>();

		void note(String part) {
			boolean same = Thread.currentThread().getContextClassLoader() == APPLICATION;
			this.values.put(part, TENANT.get() + (same ? ", application" : ", another"));
		}

		@Override
		public void onEvent(LockEvent event) {
			if (event instanceof LockEvent.HoldLost) {
				note("listener");
			}
		}

		@EventListener
		void on(LockAcquisitionFailedEvent event) {
			note("event");
		}

	}

}
