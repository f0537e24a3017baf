package io.leasehold.service.simulation;

import java.util.ArrayDeque;
import java.util.LinkedHashSet;
import java.util.Queue;
import java.util.Set;
import java.util.function.Supplier;

/**
 * The network between a process and the store: a connection for requests and one for
 * signals. Each keeps the order of its messages. It may be slow, lose messages and break.
 * A request of a broken connection may still reach the store, after later ones.
 */
final class Link {

	/** How long a process waits for a response. */
	static final long TIMEOUT = 100_000_000;

	private static final long GOOD_LATENCY = 2_000_000;

	private final World world;

	private final SimulatedProcess process;

	private final Set<Request<?>> pending = new LinkedHashSet<>();

	private final Queue<Runnable> signals = new ArrayDeque<>();

	private long lastRequest;

	private long lastResponse;

	private long lastSignal;

	/** Number of times that the connections broke. */
	private int epoch;

	private boolean broken;

	/** Whether a broken connection fails at once, and not by a timeout. */
	private boolean refuses;

	private long latency = GOOD_LATENCY;

	/** How much longer than requests signals may take. */
	private long lag;

	private double losses;

	Link(World world, SimulatedProcess process) {
		this.world = world;
		this.process = process;
	}

	/** Send a request. It ends with a response, a failure or a timeout. */
	<T> Request<T> send(Supplier<T> execution) {
		Request<T> request = new Request<>(execution, this.epoch);
		this.pending.add(request);
		Dice dice = this.world.dice;
		if (this.broken && this.refuses) {
			later(dice.between(0, 1_000_000), () -> fail(request, "refused"));
			return request;
		}
		later(TIMEOUT, () -> fail(request, "no response"));
		this.lastRequest = arrival(this.lastRequest);
		if (this.broken || dice.chance(this.losses)) {
			note("  a request is lost");
		}
		else {
			this.world.scheduler.after(this.lastRequest - now(), () -> arrive(request));
		}
		return request;
	}

	private <T> void arrive(Request<T> request) {
		if (request.epoch != this.epoch) {
			if (this.world.dice.chance(0.5)) {
				this.world.orphans = true;
				this.world.figures.lateRequests++;
				this.world.scheduler.after(this.world.dice.between(0, 500_000_000), () -> {
					note("  a request of a former connection arrives");
					request.execution.get();
				});
			}
			return;
		}
		T response = request.execution.get();
		this.lastResponse = arrival(this.lastResponse);
		if (this.world.dice.chance(this.losses)) {
			note("  a response is lost");
			return;
		}
		later(this.lastResponse - now(), () -> {
			if (request.epoch == this.epoch && this.pending.remove(request)) {
				request.response = response;
				request.ended(now());
			}
		});
	}

	private void fail(Request<?> request, String reason) {
		if (this.pending.remove(request)) {
			this.process.disturb();
			request.failure = reason;
			request.ended(now());
		}
	}

	/** Send a signal to the process. */
	void signal(Runnable delivery) {
		int sent = this.epoch;
		this.lastSignal = arrival(this.lastSignal) + ((this.lag > 0) ? this.world.dice.between(0, this.lag) : 0);
		boolean lost = this.broken || this.world.dice.chance(this.losses);
		this.signals.add(() -> {
			if (!lost && sent == this.epoch) {
				delivery.run();
			}
			else {
				this.process.disturb();
			}
		});
		// In their order, although a process that was paused resumes its tasks in any
		// order
		later(this.lastSignal - now(), () -> this.signals.remove().run());
	}

	/** Break the connections. */
	void cut() {
		this.broken = true;
		this.epoch++;
		this.refuses = this.world.dice.chance(0.5);
		this.process.disturb();
		note(this.refuses ? "loses its connection" : "is cut off");
		if (this.refuses) {
			new LinkedHashSet<>(this.pending)
				.forEach((request) -> later(this.world.dice.between(0, 1_000_000), () -> fail(request, "broken")));
		}
	}

	/** Delay and lose messages. */
	void degrade() {
		this.latency = this.world.dice.pick(GOOD_LATENCY, 20_000_000L, 80_000_000L);
		this.losses = this.world.dice.pick(0.02, 0.1, 0.4);
		this.process.disturb();
		note("has a bad network");
	}

	/** Delay signals, but not requests. */
	void lag() {
		this.lag = this.world.dice.pick(5_000_000L, 50_000_000L, 400_000_000L);
		this.process.disturb();
		note("receives signals late");
	}

	boolean isConnected() {
		return !this.broken;
	}

	boolean isGood() {
		return !this.broken && this.losses == 0 && this.lag == 0;
	}

	/** Let all messages pass again. */
	void heal() {
		note("has a good network");
		this.process.disturb();
		this.latency = GOOD_LATENCY;
		this.losses = 0;
		this.lag = 0;
		if (this.broken) {
			this.broken = false;
			later(0, this.process.engine::resubscribed);
		}
	}

	/** End the connections of a process that crashed. */
	void close() {
		this.broken = true;
		this.epoch++;
		new LinkedHashSet<>(this.pending).forEach((request) -> fail(request, "crashed"));
	}

	private long arrival(long previous) {
		return Math.max(previous + 1, now() + this.world.dice.between(100_000, this.latency));
	}

	private void later(long nanos, Runnable task) {
		this.world.scheduler.after(nanos, this.process, false, task);
	}

	private void note(String what) {
		this.process.note(what);
	}

	private long now() {
		return this.world.scheduler.now();
	}

	/** Request that is executed when it reaches the store. */
	static final class Request<T> {

		final Supplier<T> execution;

		final int epoch;

		T response;

		String failure;

		/** When the process received the response or the failure. */
		long ended;

		private Runnable onEnd = () -> {
		};

		Request(Supplier<T> execution, int epoch) {
			this.execution = execution;
			this.epoch = epoch;
		}

		/** Set what happens when the request has ended. */
		void onEnd(Runnable action) {
			this.onEnd = action;
		}

		private void ended(long now) {
			this.ended = now;
			this.onEnd.run();
		}

		boolean hasEnded() {
			return this.response != null || this.failure != null;
		}

	}

}
