package io.leasehold.interceptor;

import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import io.leasehold.DistributedLocks;
import io.leasehold.LossCause;
import io.leasehold.annotation.DistributedLock;
import io.leasehold.engine.ManualClock;
import io.leasehold.reactive.ReactiveLocks;
import io.leasehold.test.contract.Fault;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for all ways in which a publisher ends, with all kinds of threads that run it and
 * all hooks that Reactor offers: its key never becomes available under a running body,
 * unless the application wants this.
 */
class PublisherEndingsTests {

	private static final Duration LEASE = Duration.ofMinutes(10);

	private static final Scheduler OWN = Schedulers.fromExecutor(Executors.newCachedThreadPool((task) -> {
		Thread thread = new Thread(task, "own");
		thread.setDaemon(true);
		return thread;
	}));

	private static final AtomicInteger IDS = new AtomicInteger();

	private static final ManualClock CLOCK = new ManualClock();

	private static AnnotationConfigApplicationContext keeping;

	@BeforeAll
	static void start() {
		keeping = new AnnotationConfigApplicationContext();
		TestPropertyValues.of("leasehold.engine=local", "leasehold.wait-time=0s", "leasehold.lease=" + LEASE)
			.applyTo(keeping);
		keeping.registerBean(ManualClock.class, () -> CLOCK);
		keeping.register(Application.class, Orders.class, RecordedEvents.class);
		keeping.refresh();
	}

	@AfterAll
	static void close() {
		keeping.close();
	}

	@AfterEach
	void removeHooks() {
		Hook.NONE.install();
	}

	static Stream<Arguments> cells() {
		return Stream.of(Hook.values())
			.flatMap((hook) -> Stream.of(Work.values())
				.flatMap((work) -> Stream.of(Ending.values()).map((ending) -> Arguments.of(hook, work, ending))));
	}

	@ParameterizedTest(name = "{0}, {1}, {2}")
	@MethodSource("cells")
	@Fault(124)
	void keyStaysLockedUntilTheBodyOrTheLeaseHasEnded(Hook hook, Work work, Ending ending) throws Exception {
		hook.install();
		DistributedLocks locks = keeping.getBean(DistributedLocks.class);
		StubbornBody body = new StubbornBody();
		int id = IDS.incrementAndGet();
		String key = "order:" + id;
		Disposable client = ending.subscribe(keeping.getBean(Orders.class), id, work, body);
		body.awaitBegin();
		assertThat(Locked.isFree(locks, key)).as("free while its body runs").isFalse();
		ending.end(client);
		if (ending.isOfThePublisher()) {
			body.end();
			await().until(() -> Locked.isFree(locks, key));
			assertThat(body.held().isValid()).isFalse();
			return;
		}
		assertThat(body.loss()).isEqualTo(LossCause.CANCELLED);
		assertThat(Locked.isFree(locks, key)).as("free while its cancelled body runs").isFalse();
		body.end();
		await().until(body::hasEnded);
		CLOCK.advance(LEASE.minusSeconds(2));
		assertThat(Locked.isFree(locks, key)).as("free before its lease ended").isFalse();
		CLOCK.advance(Duration.ofSeconds(3));
		assertThat(Locked.isFree(locks, key)).as("free after its lease ended").isTrue();
	}

	/** Hooks of Reactor that an application or Spring Boot may install. */
	enum Hook {

		NONE {
			@Override
			void install() {
				Schedulers.resetOnScheduleHooks();
				Hooks.disableAutomaticContextPropagation();
			}
		},

		WRAPPING {
			@Override
			void install() {
				Schedulers.onScheduleHook("wrapping", (task) -> task::run);
			}
		},

		/** As by {@code spring.reactor.context-propagation=auto}. */
		AUTO {
			@Override
			void install() {
				Hooks.enableAutomaticContextPropagation();
			}
		};

		abstract void install();

	}

	/** Threads that run the blocking part of a body. */
	enum Work {

		BOUNDED_ELASTIC {
			@Override
			Mono<String> of(StubbornBody body) {
				return Mono.fromSupplier(body).subscribeOn(Schedulers.boundedElastic());
			}
		},

		STEP {
			@Override
			Mono<String> of(StubbornBody body) {
				return Mono.just("order").publishOn(Schedulers.boundedElastic()).map((order) -> body.get());
			}
		},

		OWN_SCHEDULER {
			@Override
			Mono<String> of(StubbornBody body) {
				return Mono.fromSupplier(body).subscribeOn(OWN);
			}
		},

		FUTURE {
			@Override
			Mono<String> of(StubbornBody body) {
				return Mono.fromFuture(body::inAnotherThread);
			}
		},

		SINK {
			@Override
			Mono<String> of(StubbornBody body) {
				return Mono.create((sink) -> Locked.execute(() -> sink.success(body.get())));
			}
		};

		abstract Mono<String> of(StubbornBody body);

	}

	/** Ways in which a subscription ends. */
	enum Ending {

		COMPLETE(true), ERROR(true) {
			@Override
			Mono<String> body(Work work, StubbornBody body) {
				return super.body(work, body).flatMap((value) -> Mono.error(new IllegalStateException("no")));
			}
		},

		DISPOSE(false) {
			@Override
			void end(Disposable client) {
				client.dispose();
			}
		},

		TIMEOUT(false) {
			@Override
			Disposable subscribe(Orders orders, int id, Work work, StubbornBody body) {
				return orders.mono(id, body(work, body)).timeout(body.whenBegun()).subscribe((value) -> {
				}, (late) -> {
				});
			}
		},

		TAKE(false) {
			@Override
			Disposable subscribe(Orders orders, int id, Work work, StubbornBody body) {
				return orders.flux(id, Flux.merge(body(work, body), body.whenBegun())).take(1).subscribe();
			}
		};

		private final boolean ofThePublisher;

		Ending(boolean ofThePublisher) {
			this.ofThePublisher = ofThePublisher;
		}

		/** Whether the publisher ends by itself. */
		boolean isOfThePublisher() {
			return this.ofThePublisher;
		}

		Mono<String> body(Work work, StubbornBody body) {
			return Mono.deferContextual((context) -> {
				body.under(ReactiveLocks.held(context).get(0));
				return work.of(body);
			});
		}

		Disposable subscribe(Orders orders, int id, Work work, StubbornBody body) {
			return orders.mono(id, body(work, body)).subscribe((value) -> {
			}, (failure) -> {
			});
		}

		/** End the subscription once its body runs, unless it ends by itself. */
		void end(Disposable client) {
		}

	}

	@ImportAutoConfiguration({ io.leasehold.autoconfigure.LeaseholdAutoConfiguration.class,
			io.leasehold.autoconfigure.LeaseholdLocalAutoConfiguration.class })
	@org.springframework.context.annotation.Configuration(proxyBeanMethods = false)
	static class Application {

	}

	static class Orders {

		@DistributedLock(key = "'order:' + #id")
		public Mono<String> mono(int id, Mono<String> body) {
			return body;
		}

		@DistributedLock(key = "'order:' + #id")
		public Flux<String> flux(int id, Flux<String> body) {
			return body;
		}

	}

}
