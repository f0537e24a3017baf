package io.leasehold.interceptor;

import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.leasehold.DistributedLocks;
import io.leasehold.HeldLock;
import io.leasehold.HeldLockScope;
import io.leasehold.annotation.DistributedLock;
import io.leasehold.annotation.LeaderOnly;
import io.leasehold.autoconfigure.Leasehold;
import io.leasehold.leadership.Leadership;
import io.leasehold.reactive.ReactiveLocks;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Mono;

import org.springframework.context.ApplicationContext;

import static org.awaitility.Awaitility.await;

/**
 * Bodies that re-entered a lock and have ended, while the lock is still held. They are
 * not kept for an interrupt by its loss.
 */
class EndedBodiesTests {

	@ParameterizedTest
	@EnumSource
	void lockKeepsNoEndedBody(Body body) {
		Leasehold.runner()
			.withPropertyValues("leasehold.engine=local", "leasehold.lease=10m", "leasehold.on-lost=interrupt",
					"leasehold.leadership.roles=billing")
			.withUserConfiguration(Work.class)
			.run((context) -> {
				await().until(context.getBean(Leadership.class)::isLeader);
				try (HeldLock outer = context.getBean(DistributedLocks.class).acquire("k")) {
					WeakReference<Object> ended = body.run(context, outer);
					await().pollInterval(Duration.ofMillis(50)).until(() -> {
						System.gc();
						return ended.refersTo(null);
					});
				}
			});
	}

	/** Kinds of bodies. Each returns what an interrupt of the body would need. */
	enum Body {

		PLAIN {
			@Override
			Object enter(Work work) {
				work.plain();
				return Thread.currentThread();
			}
		},

		LEADER {
			@Override
			Object enter(Work work) {
				work.lead();
				return Thread.currentThread();
			}
		},

		STAGE {
			@Override
			Object enter(Work work) {
				CompletableFuture<Void> stage = new CompletableFuture<>();
				CompletableFuture<Void> result = work.stage(stage);
				stage.complete(null);
				result.join();
				return stage;
			}
		},

		STAGE_OF_ANY_OBJECT {
			@Override
			Object enter(Work work) {
				CompletableFuture<Void> stage = new CompletableFuture<>();
				CompletableFuture<?> result = (CompletableFuture<?>) work.any(stage);
				stage.complete(null);
				result.join();
				return stage;
			}
		},

		PUBLISHER {
			@Override
			Object enter(Work work) {
				HeldLock outer = HeldLock.current();
				Object part = new Object();
				work.publisher(part).contextWrite((context) -> ReactiveLocks.add(context, outer)).block();
				return part;
			}
		};

		abstract Object enter(Work work);

		@SuppressWarnings("try")
		WeakReference<Object> run(ApplicationContext context, HeldLock outer) {
			return CompletableFuture.supplyAsync(() -> {
				try (HeldLockScope scope = HeldLockScope.open(outer)) {
					return new WeakReference<>(enter(context.getBean(Work.class)));
				}
			}, Locked::execute).join();
		}

	}

	static class Work {

		@DistributedLock(key = "'k'")
		public void plain() {
		}

		@LeaderOnly("billing")
		public void lead() {
		}

		@DistributedLock(key = "'k'")
		public CompletableFuture<Void> stage(CompletableFuture<Void> stage) {
			return stage;
		}

		@DistributedLock(key = "'k'")
		public Object any(Object result) {
			return result;
		}

		@DistributedLock(key = "'k'")
		public Mono<String> publisher(Object part) {
			return Mono.fromCallable(part::toString);
		}

	}

}
