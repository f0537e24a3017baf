package io.leasehold.engine.redlock;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.leasehold.engine.DisturbanceContract;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.redis.connection.LettuceConnector;
import io.leasehold.engine.redis.connection.LettuceTransport;
import io.leasehold.engine.redis.connection.Login;
import io.leasehold.server.FaultProxy;
import io.lettuce.core.AclSetuserArgs;
import io.lettuce.core.KillArgs;
import io.lettuce.core.protocol.CommandType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;

/**
 * Disturbances of three masters.
 */
@Tag("full")
class RedlockDisturbancesIntegrationTests extends DisturbanceContract {

	private static final String USER = "app";

	private static final Duration TIMEOUT = Duration.ofSeconds(1);

	private final RedlockTestMasters masters = RedlockTestMasters.start(3);

	private final List<FaultProxy> networks = this.masters.ports().stream().map(FaultProxy::to).toList();

	RedlockDisturbancesIntegrationTests() {
		account(permitted());
	}

	@AfterAll
	void stop() throws Exception {
		for (FaultProxy network : this.networks) {
			network.close();
		}
		this.masters.close();
	}

	@Override
	protected Stream<Disturbance> disturbances() {
		List<Integer> ports = this.masters.ports();
		FaultProxy first = this.networks.get(0);
		return Stream.of(new Disturbance("address of a master is balanced over two", false, 20, (namespace) -> {
			first.redirect(ports.get(1), ports.get(0));
			first.reset();
		}, (namespace) -> {
			first.redirect(ports.get(0));
			first.reset();
		}), new Disturbance("a master hangs", false, 3, (namespace) -> first.blackHole(), (namespace) -> first.heal()),
				new Disturbance("most masters hang", false, 3, (namespace) -> {
					first.blackHole();
					this.networks.get(1).blackHole();
				}, (namespace) -> this.networks.forEach(FaultProxy::heal)),
				new Disturbance("emptied", true, 20, this::empty, (namespace) -> {
				}),
				new Disturbance("no scripts", false, 20,
						(namespace) -> account(AclSetuserArgs.Builder.removeCommand(CommandType.EVALSHA)
							.removeCommand(CommandType.EVAL)),
						(namespace) -> account(permitted())),
				new Disturbance("wrong password", false, 20, (namespace) -> {
					account(AclSetuserArgs.Builder.resetpass().addPassword("other"));
					operate((master) -> this.masters.operator(master).clientKill(KillArgs.Builder.user(USER)));
				}, (namespace) -> account(permitted())));
	}

	private static AclSetuserArgs permitted() {
		return AclSetuserArgs.Builder.on().resetpass().addPassword("secret").allKeys().allChannels().allCommands();
	}

	private void account(AclSetuserArgs args) {
		operate((master) -> this.masters.operator(master).aclSetuser(USER, args));
	}

	private void operate(IntConsumer command) {
		IntStream.range(0, 3).forEach(command);
	}

	@Override
	protected List<FaultProxy> networks() {
		return this.networks;
	}

	@Override
	protected LockEngine open(String namespace, Member member, boolean disturbed) {
		List<Integer> ports = disturbed ? this.networks.stream().map(FaultProxy::port).toList() : this.masters.ports();
		Login login = disturbed ? new Login(USER, "secret".toCharArray(), 0) : new Login(null, null, 0);
		return RedlockOpener.warm(member,
				new RedlockLockEngine(new LettuceConnector(LettuceTransport.PLAIN, TIMEOUT), RedlockOpener.nodes(ports),
						() -> login, RedlockOpener.settings(namespace, Duration.ZERO, TIMEOUT), MonotonicClock.SYSTEM));
	}

	@Override
	protected void empty(String namespace) {
		operate((master) -> this.masters.operator(master).flushall());
	}

	/** Markers of ended claims expire. */
	@Override
	protected Collection<String> residue(String namespace) {
		return this.masters.residue(namespace).stream().filter((name) -> !name.contains(":ended:")).toList();
	}

}
