package io.leasehold.interceptor;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import reactor.core.Scannable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import reactor.util.context.Context;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link Segments}. Scheduled tasks wait until the test runs them.
 */
class SegmentsTests {

	private final Segments segments = new Segments(null);

	private final List<String> log = new ArrayList<>();

	private final List<Runnable> tasks = new ArrayList<>();

	@Test
	void endsWhenTheLastPartEnds() {
		this.segments.run(() -> {
			this.segments.run(() -> this.segments.whenEnded(() -> this.log.add("ended")));
			assertThat(this.log).isEmpty();
			assertThat(this.segments.begun()).isEqualTo(2);
		});
		assertThat(this.log).containsExactly("ended");
		this.segments.run(() -> {
		});
		assertThat(this.log).as("once").containsExactly("ended");
		this.segments.whenEnded(() -> this.log.add("at once"));
		assertThat(this.log).containsExactly("ended", "at once");
	}

	@Test
	void failedPartHasEnded() {
		assertThatIllegalStateException().isThrownBy(() -> this.segments.run(() -> {
			this.segments.whenEnded(() -> this.log.add("ended"));
			throw new IllegalStateException("no");
		}));
		assertThat(this.log).containsExactly("ended");
	}

	/** The outer body does not wait for a part that has ended. */
	@Test
	void failureAtTheEndOfAnInnerBodyEndsThePartOfTheOuterOne() {
		Segments inner = new Segments(this.segments);
		assertThatIllegalStateException().isThrownBy(() -> inner.run(() -> inner.whenEnded(() -> {
			throw new IllegalStateException("no");
		})));
		assertThat(this.segments.isRunning()).isFalse();
	}

	/**
	 * A part goes on after a signal in its own thread, unless it has left for other code.
	 */
	@Test
	void partThatWasLeftIsNotElsewhere() {
		assertThat(this.segments.runElsewhere()).isFalse();
		this.segments.run(() -> {
			assertThat(this.segments.runElsewhere()).isTrue();
			Segments suspended = Segments.suspend();
			assertThat(this.segments.runElsewhere()).isFalse();
			assertThat(CompletableFuture.supplyAsync(this.segments::runElsewhere, Locked::execute).join()).isTrue();
			Segments.restore(suspended);
		});
		assertThat(CompletableFuture.supplyAsync(this.segments::runElsewhere, Locked::execute).join()).isFalse();
	}

	/** Only what a part has scheduled belongs to the body. */
	@Test
	void tasksOfAPartAreParts() {
		Segments.seeTasks();
		Scheduler scheduler = Schedulers.fromExecutor(this.tasks::add);
		scheduler.schedule(() -> this.log.add("foreign"));
		this.segments.run(() -> {
			scheduler.schedule(() -> this.log.add("own, parts: " + this.segments.begun()));
			Segments suspended = Segments.suspend();
			scheduler.schedule(() -> this.log.add("outside"));
			Segments.restore(suspended);
			scheduler.schedule(() -> this.log.add("own again"));
		});
		this.tasks.forEach(Runnable::run);
		assertThat(this.log).containsExactly("foreign", "own, parts: 2", "outside", "own again");
		assertThat(this.segments.begun()).isEqualTo(3);
	}

	@Test
	void tasksAreSeenFromTheFirstPartOn() {
		Schedulers.resetOnScheduleHook(Segments.class.getName());
		Segments.seeTasks();
		this.segments.run(() -> this.tasks.add(Schedulers.onSchedule(() -> {
		})));
		this.tasks.forEach(Runnable::run);
		assertThat(this.segments.begun()).isEqualTo(2);
	}

	/** Reactor lets it run if it is cancelled while its thread begins. */
	@Test
	void onlyACancelledStartDoesNotRun() {
		Segments.seeTasks();
		this.segments.run(() -> {
			this.tasks.add(Schedulers.onSchedule(new SubscribeOnTask(true, () -> this.log.add("cancelled"))));
			this.tasks.add(Schedulers.onSchedule(new SubscribeOnTask(false, () -> this.log.add("start"))));
			this.tasks.add(Schedulers.onSchedule(new OtherTask(true, () -> this.log.add("cancelled other"))));
		});
		this.tasks.forEach(Runnable::run);
		assertThat(this.log).containsExactly("start", "cancelled other");
	}

	@Test
	void partOfAnotherBodyIsRestored() {
		Segments.seeTasks();
		Segments inner = new Segments(null);
		Scheduler scheduler = Schedulers.fromExecutor(this.tasks::add);
		this.segments.run(() -> {
			inner.run(() -> {
			});
			scheduler.schedule(() -> {
			});
		});
		assertThat(Segments.suspend()).isNull();
		this.tasks.forEach(Runnable::run);
		assertThat(inner.begun()).isOne();
		assertThat(this.segments.begun()).isEqualTo(2);
	}

	/** The outer body is not left while the inner one runs. */
	@Test
	void partsOfAnInnerBodyArePartsOfTheOuterOne() {
		Segments inner = new Segments(this.segments);
		inner.run(() -> {
			assertThat(this.segments.runElsewhere()).isTrue();
			inner.whenEnded(() -> {
				assertThat(this.segments.isRunning()).as("until the inner body is closed").isTrue();
				this.log.add("inner");
			});
			this.segments.whenEnded(() -> this.log.add("outer"));
			this.segments.run(() -> assertThat(inner.runElsewhere()).isFalse());
		});
		assertThat(this.log).containsExactly("inner", "outer");
		assertThat(this.segments.isRunning()).isFalse();
		this.segments.run(() -> assertThat(inner.isRunning()).isFalse());
	}

	@Test
	void outerBodyIsTheOneOfTheContextOrOfTheThread() {
		Context context = Context.of(Segments.class, this.segments);
		new Segments(null).run(() -> assertThat(Segments.subscribing(context)).isSameAs(this.segments));
		this.segments.run(() -> assertThat(Segments.subscribing(Context.empty())).isSameAs(this.segments));
		assertThat(Segments.subscribing(Context.empty())).isNull();
	}

	@Test
	void allOuterBodiesKnowThatAnInnerOneWasAbandoned() {
		Segments inner = new Segments(this.segments);
		new Segments(inner).abandon();
		assertThat(inner.hasAbandoned()).isTrue();
		assertThat(this.segments.hasAbandoned()).isTrue();
		Segments other = new Segments(null);
		other.abandon();
		assertThat(other.hasAbandoned()).as("by an inner one").isFalse();
	}

	@Test
	void startThatWasCancelledDoesNotRun() {
		Segments.seeTasks();
		Scheduler scheduler = Schedulers.fromExecutor(this.tasks::add);
		Mono<String> work = Mono.fromSupplier(() -> {
			this.log.add("ran");
			return "paid";
		}).hide().subscribeOn(scheduler);
		this.segments.run(() -> work.subscribe().dispose());
		this.tasks.forEach(Runnable::run);
		assertThat(this.log).isEmpty();
		this.tasks.clear();
		this.segments.run(work::subscribe);
		this.tasks.forEach(Runnable::run);
		assertThat(this.log).containsExactly("ran");
	}

	private static class OtherTask implements Runnable, Scannable {

		private final boolean cancelled;

		private final Runnable task;

		OtherTask(boolean cancelled, Runnable task) {
			this.cancelled = cancelled;
			this.task = task;
		}

		@Override
		public void run() {
			this.task.run();
		}

		@Override
		@SuppressWarnings("rawtypes")
		public @Nullable Object scanUnsafe(Attr key) {
			return (key == Attr.CANCELLED) ? this.cancelled : null;
		}

	}

	private static final class SubscribeOnTask extends OtherTask {

		SubscribeOnTask(boolean cancelled, Runnable task) {
			super(cancelled, task);
		}

	}

}
