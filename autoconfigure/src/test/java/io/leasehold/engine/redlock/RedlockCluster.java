package io.leasehold.engine.redlock;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

import io.leasehold.engine.redis.connection.LettuceTransport;
import io.leasehold.LockKey;
import io.leasehold.LockOptions;
import io.leasehold.engine.Access;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.AcquisitionOutcome.Granted;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.Renewal;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.engine.redis.connection.Connector;
import io.leasehold.engine.redis.connection.LettuceConnector;
import io.leasehold.event.LockEventListener;
import io.leasehold.server.FaultProxy;
import io.leasehold.service.LockService;
import io.leasehold.service.ReleaseTiming;
import io.leasehold.test.contract.Claims;
import io.leasehold.test.contract.Terms;
import io.leasehold.test.contract.TestSettings;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Processes of a test, each with a separate engine and network. They share a namespace
 * that no other test uses.
 */
final class RedlockCluster implements AutoCloseable {

	static final Duration LONG = Duration.ofSeconds(60);

	private final String namespace = "test-" + UUID.randomUUID();

	private final RedlockTestMasters masters;

	private final List<Process> processes = new ArrayList<>();

	private final List<LockService> services = new ArrayList<>();

	RedlockCluster(RedlockTestMasters masters) {
		this.masters = masters;
	}

	String namespace() {
		return this.namespace;
	}

	/** A process that uses the first masters. */
	Process process(int masters) {
		return process(masters, Duration.ZERO);
	}

	Process process(int masters, Duration restartDelay) {
		Duration half = restartDelay.dividedBy(2);
		boolean isShorter = !half.isZero() && half.compareTo(RedlockOpener.COMMAND_TIMEOUT) < 0;
		return process(masters, restartDelay, isShorter ? half : RedlockOpener.COMMAND_TIMEOUT);
	}

	Process process(int masters, Duration restartDelay, Duration commandTimeout) {
		return process(masters, RedlockOpener.settings(this.namespace, restartDelay, commandTimeout),
				new LettuceConnector(LettuceTransport.PLAIN, commandTimeout));
	}

	/** A process of three masters whose waiting claims hardly poll. */
	Process patientProcess(Connector connector) {
		return process(3, new RedlockSettings(this.namespace, RedlockOpener.COMMAND_TIMEOUT, Duration.ofMinutes(60),
				Duration.ZERO, Duration.ofMinutes(1)), connector);
	}

	private Process process(int masters, RedlockSettings settings, Connector connector) {
		List<FaultProxy> network = this.masters.ports().subList(0, masters).stream().map(FaultProxy::to).toList();
		Member member = Member.of("test");
		RedlockLockEngine engine = RedlockOpener.open(network.stream().map(FaultProxy::port).toList(), connector,
				settings, MonotonicClock.SYSTEM);
		Process process = new Process(member, RedlockOpener.warm(member, engine), network);
		this.processes.add(process);
		return process;
	}

	/** A service of a process, which renews its locks. */
	LockService service(Process process, LockEventListener listener) {
		LockOptions defaults = new LockOptions("test", RedlockLockEngine.NAME, LONG, Duration.ofSeconds(30),
				Duration.ZERO, LockOptions.UNLIMITED);
		LockService service = new LockService(TestSettings.of(defaults), List.of(process.engine()), process.member(),
				MonotonicClock.SYSTEM, List.of(listener), ReleaseTiming.IMMEDIATE);
		this.services.add(service);
		return service;
	}

	LockNames names(String key) {
		return LockNames.of(this.namespace, new LockKey(key));
	}

	long holding(String key) {
		return this.masters.holding(this.namespace, key);
	}

	@Override
	public void close() {
		this.services.forEach(LockService::close);
		this.processes.forEach(Process::close);
	}

	/**
	 * A process.
	 *
	 * @param network the network between the process and each master
	 */
	record Process(Member member, RedlockLockEngine engine, List<FaultProxy> network) {

		Claim claim(String key) {
			return claim(key, LONG);
		}

		Claim reader(String key) {
			return new Claim(new LockKey(key), this.member.newOwner(),
					Terms.of(Access.SHARED, LONG, Duration.ZERO, Duration.ZERO), false, System.nanoTime());
		}

		/** A claim that waits if the lock is busy. */
		Claim waiting(String key) {
			return Claims.waiting(claim(key));
		}

		Claim claim(String key, Duration lease) {
			return new Claim(new LockKey(key), this.member.newOwner(), lease, Duration.ZERO, false, System.nanoTime());
		}

		AcquisitionOutcome tryAcquire(String key) {
			return this.engine.tryAcquire(claim(key));
		}

		Granted granted(Claim claim) {
			AcquisitionOutcome outcome = this.engine.tryAcquire(claim);
			assertThat(outcome).isInstanceOf(Granted.class);
			return (Granted) outcome;
		}

		/** Acquire and release a lock, and return its number. */
		long number(String key) {
			Claim claim = claim(key);
			long number = granted(claim).number();
			this.engine.release(claim);
			return number;
		}

		RenewalOutcome renew(Claim claim, Granted granted) {
			return this.engine.renew(List.of(new Renewal(claim, granted.number(), claim.lease()))).get(0);
		}

		/** Cut off a master: connections break, and new ones are rejected. */
		void cut(int master) {
			this.network.get(master).refuse();
			this.network.get(master).requests().drop(); // data that is still in flight
			this.network.get(master).reset();
		}

		void heal(int master) {
			this.network.get(master).heal();
		}

		void close() {
			this.engine.close();
			for (FaultProxy proxy : this.network) {
				try {
					proxy.close();
				}
				catch (IOException ex) {
					throw new UncheckedIOException(ex);
				}
			}
		}

	}

}
