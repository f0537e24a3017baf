package io.leasehold.engine.etcd;

import java.time.Duration;
import java.util.Collection;
import java.util.List;

import io.leasehold.LockKey;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Claim;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.server.EtcdTestServer;
import io.leasehold.test.contract.EngineAddress;
import io.leasehold.test.contract.Fault;
import io.leasehold.test.contract.SharedLockEngineContract;
import org.awaitility.core.ConditionFactory;

/**
 * The contract, kept by {@link EtcdLockEngine} on a single server.
 */
@Fault(194)
class EtcdLockEngineContractIntegrationTests extends SharedLockEngineContract {

	private final String url = EtcdTestServer.shared().url();

	@Override
	protected EngineAddress address() {
		return address(EtcdTestServer.shared().url(), Duration.ofSeconds(4));
	}

	/** Return the address of a server, for processes with a session timeout. */
	static EngineAddress address(String url, Duration sessionTimeout) {
		return new EngineAddress(Opener.class, List.of(url, sessionTimeout.toString()));
	}

	/** No process of this JVM dies, so its calls may take longer than a short session. */
	@Override
	protected LockEngine connect(String namespace, Member member) {
		EtcdEngines.warmUp();
		return new EtcdLockEngine(EtcdEngines.connection(this.url),
				new EtcdSettings(namespace, Duration.ofMinutes(2), EtcdEngines.CALL_TIMEOUT, Duration.ofSeconds(1)),
				MonotonicClock.SYSTEM);
	}

	/** Not much shorter than a session, by which a process that died is followed. */
	@Override
	protected Duration shortLease() {
		return Duration.ofSeconds(3);
	}

	@Override
	protected int manyLocks() {
		return 600;
	}

	@Override
	protected void lose(String namespace, LockKey key) {
		EtcdOperator operator = new EtcdOperator(this.url);
		String prefix = new EtcdKeys(namespace).claims(key);
		operator.keys(prefix).stream().findFirst().ifPresent(operator::remove);
	}

	@Override
	protected Collection<String> residue(String namespace) {
		return new EtcdOperator(this.url).residue(namespace);
	}

	/**
	 * Connects another process to a server by its URL, with a session timeout.
	 */
	public static final class Opener implements EngineAddress.Opener {

		@Override
		public LockEngine open(String namespace, Member member, List<String> arguments) {
			Duration sessionTimeout = Duration.parse(arguments.get(1));
			EtcdLockEngine engine = new EtcdLockEngine(EtcdEngines.connection(arguments.get(0)),
					new EtcdSettings(namespace, sessionTimeout, EtcdEngines.callTimeout(sessionTimeout),
							Duration.ofSeconds(1)),
					MonotonicClock.SYSTEM);
			warmUp(engine, member);
			return engine;
		}

		/** The first request of a JVM on a loaded machine may take longer than a call. */
		private static void warmUp(EtcdLockEngine engine, Member member) {
			Claim claim = new Claim(new LockKey("warm-up-" + member.id()), member.newOwner(), Duration.ofSeconds(10),
					Duration.ZERO, true, System.nanoTime());
			ConditionFactory soon = EtcdEngines.eventually().pollDelay(Duration.ZERO).ignoreExceptions();
			soon.until(() -> engine.tryAcquire(claim) instanceof AcquisitionOutcome.Granted);
			soon.until(() -> engine.release(claim), (outcome) -> true);
		}

	}

}
