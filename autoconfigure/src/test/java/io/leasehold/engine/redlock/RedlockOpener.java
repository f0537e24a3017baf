package io.leasehold.engine.redlock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.leasehold.engine.redis.connection.LettuceTransport;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Claim;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.LockKey;
import io.leasehold.engine.redis.connection.Connector;
import io.leasehold.engine.redis.connection.LettuceConnector;
import io.leasehold.engine.redis.connection.Login;
import io.leasehold.engine.redis.connection.Node;
import io.leasehold.test.contract.EngineAddress;
import org.awaitility.core.ConditionFactory;

import static org.awaitility.Awaitility.await;

/**
 * Connects to masters on this machine by their ports.
 */
public final class RedlockOpener implements EngineAddress.Opener {

	/** Longer than any pause of a busy machine. */
	static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(5);

	private static final String LETTUCE = "lettuce";

	/** The address of masters, for Lettuce. */
	static EngineAddress byLettuce(List<Integer> ports) {
		return address(LETTUCE, ports);
	}

	private static EngineAddress address(String library, List<Integer> ports) {
		List<String> arguments = new ArrayList<>(List.of(library));
		ports.forEach((port) -> arguments.add(port.toString()));
		return new EngineAddress(RedlockOpener.class, arguments);
	}

	@Override
	public LockEngine open(String namespace, Member member, List<String> arguments) {
		List<Integer> ports = arguments.subList(1, arguments.size()).stream().map(Integer::valueOf).toList();
		Connector connector = new LettuceConnector(LettuceTransport.PLAIN, COMMAND_TIMEOUT);
		return warm(member, open(ports, connector, settings(namespace), MonotonicClock.SYSTEM));
	}

	static RedlockLockEngine open(List<Integer> ports, Connector connector, RedlockSettings settings,
			MonotonicClock clock) {
		return new RedlockLockEngine(connector, nodes(ports), () -> new Login(null, null, 0), settings, clock);
	}

	/** Settings of masters that lose no data, since the servers of tests are young. */
	static RedlockSettings settings(String namespace) {
		return settings(namespace, Duration.ZERO);
	}

	static RedlockSettings settings(String namespace, Duration restartDelay) {
		return settings(namespace, restartDelay, COMMAND_TIMEOUT);
	}

	static RedlockSettings settings(String namespace, Duration restartDelay, Duration commandTimeout) {
		return new RedlockSettings(namespace, commandTimeout, Duration.ofMillis(200), restartDelay,
				Duration.ofMinutes(1));
	}

	/**
	 * Let an engine connect to all masters, because the first connection of a JVM on a
	 * loaded machine may take longer than a request.
	 */
	static RedlockLockEngine warm(Member member, RedlockLockEngine engine) {
		Claim claim = new Claim(new LockKey("warm-up-" + member.id()), member.newOwner(), Duration.ofSeconds(10),
				Duration.ZERO, true, System.nanoTime());
		engine.checkMasters();
		ConditionFactory soon = await().pollDelay(Duration.ZERO).ignoreExceptions();
		soon.until(() -> engine.tryAcquire(claim) instanceof AcquisitionOutcome.Granted);
		soon.until(() -> engine.release(claim), (outcome) -> true);
		return engine;
	}

	static List<Node> nodes(List<Integer> ports) {
		return ports.stream().map((port) -> new Node("127.0.0.1", port)).toList();
	}

}
