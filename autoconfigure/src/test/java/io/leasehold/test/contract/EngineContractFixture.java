package io.leasehold.test.contract;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;

import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.AcquisitionOutcome.Busy;
import io.leasehold.engine.AcquisitionOutcome.Granted;
import io.leasehold.engine.Capability;
import io.leasehold.engine.Claim;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.Renewal;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.engine.Signal;
import io.leasehold.engine.Subscription;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Processes that use one store, for the tests of its contract.
 */
@Timeout(600)
abstract class EngineContractFixture {

	static final LockKey KEY = new LockKey("order:42");

	/** Lease of a lock whose lease is not to end: longer than any pause of a machine. */
	static final Duration LONG_LEASE = Duration.ofMinutes(2);

	/** Wait time of a caller whose wait is not to end. */
	static final Duration LONG_WAIT = Duration.ofMinutes(1);

	/** Time that the network and an idle machine may add. */
	static final Duration SLACK = Duration.ofSeconds(3);

	/** Time by which the store's clock may be ahead of the local clock. */
	private static final Duration EARLY = Duration.ofMillis(20);

	final String namespace = "contract-" + UUID.randomUUID();

	private final List<Process> processes = new ArrayList<>();

	/**
	 * Connect to the store as another process would. An engine that is closeable is
	 * closed at the end of the test.
	 * @param namespace namespace of the test, such as a prefix of keys or the name of a
	 * store
	 * @param member the process that connects
	 * @return a new engine, or one that all users of the namespace share
	 */
	protected abstract LockEngine connect(String namespace, Member member);

	/**
	 * Remove a lock from the store without notifying anyone.
	 * @param namespace namespace of the test
	 * @param key the key
	 */
	protected abstract void lose(String namespace, LockKey key);

	/**
	 * Return the entries that the store has for a namespace, except those that it keeps
	 * only for fencing tokens.
	 * @param namespace namespace of the test
	 * @return a description of each remaining entry, for messages
	 */
	protected abstract Collection<String> residue(String namespace);

	/**
	 * Return the lease whose end tests wait for: short, but several times the duration of
	 * a request on a loaded machine.
	 * @return one and a half seconds
	 */
	protected Duration shortLease() {
		return Duration.ofMillis(1500);
	}

	/**
	 * Return how long processes contend for a lock.
	 * @return two seconds
	 */
	protected Duration contention() {
		return Duration.ofSeconds(2);
	}

	/**
	 * Return how many locks a process renews at once.
	 * @return five thousand
	 */
	protected int manyLocks() {
		return 5000;
	}

	/**
	 * Return how long a test waits for an expected event before it fails.
	 * @return one minute
	 */
	protected Duration patience() {
		return Duration.ofMinutes(1);
	}

	@AfterEach
	void disconnect() throws Exception {
		for (Process process : this.processes) {
			process.close();
		}
	}

	/** Repeat a request until the store responds, since many requests load it. */
	final <T> T responded(Supplier<T> request) {
		long end = System.nanoTime() + patience().toNanos();
		while (true) {
			try {
				return request.get();
			}
			catch (LockEngineException ex) {
				if (System.nanoTime() - end > 0) {
					throw ex;
				}
			}
		}
	}

	Process process() {
		return process(this.namespace);
	}

	final Process process(String inNamespace) {
		Member member = Member.of("contract");
		Process process = new Process(member, connect(inNamespace, member), patience());
		this.processes.add(process);
		return process;
	}

	/** Return the time that the network and an idle machine may add. */
	Duration slack() {
		return SLACK;
	}

	/** Assert that a step took a time, plus at most the slack of the machine. */
	final void took(Duration time, Pace since) {
		Duration elapsed = since.elapsed();
		assertThat(elapsed).isBetween(time.minus(EARLY), time.plus(since.slack(slack())));
	}

	/** Assert that a step took at most a time plus the slack of the machine. */
	final void tookAtMost(Duration time, Pace since) {
		Duration elapsed = since.elapsed();
		assertThat(elapsed).isLessThan(time.plus(since.slack(slack())));
	}

	final ConditionFactory eventually() {
		return Awaitility.await().atMost(patience()).pollInterval(Duration.ofMillis(20));
	}

	/**
	 * A process from the store's point of view.
	 */
	record Process(Member member, LockEngine engine, Duration patience) {

		void close() throws Exception {
			if (this.engine instanceof AutoCloseable closeable) {
				closeable.close();
			}
		}

		boolean has(Capability capability) {
			return this.engine.capabilities().contains(capability);
		}

		Claim claim(LockKey key) {
			return claim(key, LONG_LEASE);
		}

		Claim claim(LockKey key, Duration lease) {
			return new Claim(key, this.member.newOwner(), lease, Duration.ZERO, false, System.nanoTime());
		}

		Claim waiting(LockKey key) {
			return Claims.waiting(claim(key));
		}

		Granted granted(Claim claim) {
			AcquisitionOutcome attempt = this.engine.tryAcquire(claim);
			assertThat(attempt).as(claim.key().value()).isInstanceOf(Granted.class);
			return (Granted) attempt;
		}

		RenewalOutcome renew(Claim claim, Granted granted) {
			return renew(new Renewal(claim, granted.number(), claim.lease()));
		}

		/** Renew as the service does: repeat if there is no response in time. */
		RenewalOutcome renew(Renewal renewal) {
			long end = System.nanoTime() + this.patience.toNanos();
			while (true) {
				List<RenewalOutcome> outcomes = this.engine.renew(List.of(renewal));
				assertThat(outcomes).hasSize(1);
				if (!(outcomes.get(0) instanceof RenewalOutcome.Unknown) || System.nanoTime() - end >= 0) {
					return outcomes.get(0);
				}
			}
		}

		/** Begin to wait for a busy key. */
		Waiter begin(Claim claim) {
			AcquisitionOutcome attempt = this.engine.tryAcquire(claim);
			assertThat(attempt).isInstanceOf(Busy.class);
			return new Waiter(this, claim, ((Busy) attempt).retryIn());
		}

		/** Request the key and wait as the service does. */
		Granted await(Claim claim) {
			AcquisitionOutcome attempt = this.engine.tryAcquire(claim);
			return (attempt instanceof Granted granted) ? granted
					: new Waiter(this, claim, ((Busy) attempt).retryIn()).await();
		}

	}

	/**
	 * A waiting claim: woken by signals, and polling after the interval that the engine
	 * returned.
	 */
	static final class Waiter implements AutoCloseable {

		final LinkedBlockingQueue<Signal> signals = new LinkedBlockingQueue<>();

		private final Process process;

		private final Claim claim;

		private final Subscription waiting;

		private Duration retryIn;

		Waiter(Process process, Claim claim, Duration retryIn) {
			this.process = process;
			this.claim = claim;
			this.retryIn = retryIn;
			this.waiting = process.engine.subscribe(claim, this.signals::add);
		}

		Granted await() {
			long end = System.nanoTime() + this.process.patience.toNanos();
			try (this) {
				for (long rest = end - System.nanoTime(); rest > 0; rest = end - System.nanoTime()) {
					Signal signal = this.signals.poll(Math.min(this.retryIn.toNanos(), rest), TimeUnit.NANOSECONDS);
					if (signal instanceof Signal.Pushed pushed
							&& pushed.grant().validUntil() - MonotonicClock.SYSTEM.nanoTime() > 0) {
						return pushed.grant();
					}
					if (System.nanoTime() - end >= 0) {
						break;
					}
					AcquisitionOutcome attempt = this.process.engine.tryAcquire(this.claim);
					if (attempt instanceof Granted granted) {
						return granted;
					}
					this.retryIn = ((Busy) attempt).retryIn();
				}
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
			throw new AssertionError(
					"Lock '%s' was not granted within %s".formatted(this.claim.key(), this.process.patience));
		}

		@Override
		public void close() {
			this.waiting.close();
		}

	}

}
