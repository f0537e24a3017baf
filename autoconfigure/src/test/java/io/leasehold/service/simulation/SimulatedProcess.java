package io.leasehold.service.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.random.RandomGenerator;

import io.leasehold.engine.Member;
import io.leasehold.service.SimulatedService;

/**
 * A process with its clock, its connection and its locks. It may be paused, and it may
 * crash.
 */
final class SimulatedProcess implements SimulatedService.Tasks {

	/** A delay from which on the process counts as disturbed. */
	private static final long NOTABLE = 20_000_000;

	final String name;

	final SimulatedClock clock;

	final Link link;

	final SimulatedEngine engine;

	final SimulatedService locks;

	private final Scheduler scheduler;

	private final List<Event> deferred = new ArrayList<>();

	private final List<BlockingThread> threads = new ArrayList<>();

	/** The thread that runs now, {@code null} for none of these threads. */
	private BlockingThread running;

	private boolean paused;

	private boolean stopping;

	private boolean dead;

	/** What follows the next task, {@code null} for nothing. */
	private Runnable afterTask;

	private long disturbed;

	SimulatedProcess(String name, World world, Member member) {
		this.name = name;
		this.scheduler = world.scheduler;
		this.disturbed = this.scheduler.now();
		this.clock = new SimulatedClock(this.scheduler);
		this.link = new Link(world, this);
		this.engine = new SimulatedEngine(world, this);
		this.locks = new SimulatedService(this.engine, member, this.clock, this.scheduler.dice.pick(0, 1, 3, 63), this);
		note("starts, %s", this.clock);
	}

	void note(String format, Object... arguments) {
		this.scheduler.journal.write(this.scheduler.now(), this.name, format, arguments);
	}

	/** Return whether an event may run now. It is put off while the process is paused. */
	boolean mayRun(Event event) {
		if (this.paused) {
			this.deferred.add(event);
		}
		return !this.paused && !this.dead;
	}

	@Override
	public void execute(Runnable task, boolean blocks) {
		Runnable after = this.afterTask;
		this.afterTask = null;
		if (!this.dead) {
			this.scheduler.after(delay(), this, blocks, (after == null) ? task : () -> {
				task.run();
				after.run();
			});
		}
	}

	/** Pass a report on to the service, and check what follows from its task. */
	void report(Runnable report, Runnable check) {
		this.afterTask = check;
		report.run();
	}

	/** Start a thread whose code may block. */
	BlockingThread start(Runnable code) {
		BlockingThread thread = new BlockingThread(this, this.scheduler, code);
		this.threads.add(thread);
		thread.start();
		return thread;
	}

	/** Run a thread until it blocks or ends. */
	void run(BlockingThread thread, Coroutine code) {
		this.running = thread;
		try {
			code.resume();
		}
		finally {
			this.running = null;
		}
	}

	@Override
	public BlockingThread parking() {
		return this.running;
	}

	/** Wait in the current thread until a request has ended. */
	void await(Link.Request<?> request) {
		if (this.running != null) {
			this.running.await(request);
		}
		else {
			this.scheduler.await(this, request::hasEnded);
		}
	}

	/** End all that goes on in this process. */
	void end() {
		this.dead = true;
		this.paused = false;
		this.threads.forEach(BlockingThread::kill);
		this.threads.clear();
	}

	/** Return how long a task waits for its thread. */
	private long delay() {
		Dice dice = this.scheduler.dice;
		if (dice.chance(0.9)) {
			return dice.between(0, 50_000);
		}
		long delay = dice.chance(0.9) ? dice.between(0, 5_000_000) : dice.between(0, 600_000_000);
		if (delay > NOTABLE) {
			disturbUntil(this.scheduler.now() + delay);
		}
		return delay;
	}

	@Override
	public Future<?> schedule(Runnable task, long nanos) {
		FutureTask<?> timer = new FutureTask<>(task, null) {
			@Override
			protected void setException(Throwable failure) {
				SimulatedProcess.this.scheduler.violated("A timer failed: " + failure);
			}
		};
		if (!this.dead) {
			fireAt(this.clock.nanoTime() + nanos, timer);
		}
		return timer;
	}

	private void fireAt(long due, FutureTask<?> timer) {
		this.scheduler.after(this.clock.until(due) + 1_000, this, false, () -> {
			if (this.clock.nanoTime() - due < 0) {
				fireAt(due, timer);
			}
			else {
				timer.run();
			}
		});
	}

	@Override
	public RandomGenerator random() {
		return this.scheduler.dice.random();
	}

	void pause() {
		note("is paused");
		this.paused = true;
	}

	void resume() {
		if (this.paused) {
			this.paused = false;
			disturb();
			if (this.scheduler.dice.chance(0.5)) {
				this.clock.changeRate();
			}
			note("continues, %s", this.clock);
			this.deferred.forEach((event) -> this.scheduler.again(event, this.scheduler.dice.between(0, 2_000_000)));
			this.deferred.clear();
		}
	}

	/** Shut down: callers that have locks may close them, others are rejected. */
	void stop() {
		note("shuts down");
		this.stopping = true;
		disturb();
		this.locks.drain();
	}

	void crash() {
		note("crashes");
		end();
		this.link.close();
	}

	boolean isPaused() {
		return this.paused;
	}

	boolean isStopping() {
		return this.stopping;
	}

	boolean isDead() {
		return this.dead;
	}

	/** Note that a response is processed that arrived at the given time. */
	void processed(long arrival) {
		if (this.scheduler.now() - arrival > NOTABLE) {
			disturb();
		}
	}

	/** Note that something went wrong that may delay or end what goes on. */
	void disturb() {
		disturbUntil(this.scheduler.now());
	}

	private void disturbUntil(long time) {
		this.disturbed = Math.max(this.disturbed, time);
	}

	/** Return how long all went well in this process. */
	long undisturbed() {
		boolean disturbedNow = this.paused || !this.link.isGood() || this.scheduler.holdsUp(this);
		return disturbedNow ? 0 : Math.max(0, this.scheduler.now() - this.disturbed);
	}

	@Override
	public String toString() {
		return this.name;
	}

}
