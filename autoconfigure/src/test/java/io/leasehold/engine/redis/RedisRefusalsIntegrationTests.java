package io.leasehold.engine.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.leasehold.HeldLock;
import io.leasehold.LockEngineException;
import io.leasehold.LockOptions;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Claim;
import io.leasehold.engine.redis.RedisEngines.TestMember;
import io.leasehold.server.RedisTestServer;
import io.leasehold.service.LockService;
import io.leasehold.test.contract.Fault;
import io.lettuce.core.AclSetuserArgs;
import io.lettuce.core.KillArgs;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.protocol.CommandType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * A server that rejects requests at run time: what it costs while it lasts, and what is
 * left of it.
 */
@Tag("full")
@ExtendWith(OutputCaptureExtension.class)
class RedisRefusalsIntegrationTests {

	private static final String USER = "app";

	private static final int LOCKS = 150;

	/** Rejected requests and logins of the server's statistics. */
	private static final Pattern REJECTED = Pattern.compile("(?:rejected|failed)_calls=(\\d+)");

	private static final Duration WHILE = Duration.ofSeconds(4);

	private static final int FEW = 60;

	private static final LockOptions OPTIONS = new LockOptions("test", "redis", Duration.ofSeconds(60), Duration.ZERO,
			Duration.ZERO, LockOptions.UNLIMITED);

	private final RedisTestServer server = RedisTestServer.start();

	private final RedisEngines engines = RedisEngines.patient(this.server.port());

	@AfterEach
	void stop() {
		this.engines.close();
		this.server.close();
	}

	@Fault(18)
	@ParameterizedTest(name = "{0}")
	@MethodSource
	void rejectionsCostLittleAndLeaveNothing(String name, Consumer<RedisCommands<String, String>> begin,
			Consumer<RedisCommands<String, String>> end, CapturedOutput output) throws Exception {
		account(args());
		RedisStandaloneConfiguration login = new RedisStandaloneConfiguration("127.0.0.1", this.server.port());
		login.setUsername(USER);
		login.setPassword("secret");
		TestMember member = this.engines.warm(login);
		LockService service = this.engines.service(member, (event) -> {
		});
		List<HeldLock> held = new ArrayList<>();
		for (int i = 0; i < LOCKS; i++) {
			held.add(service.acquire("held-" + i, OPTIONS));
		}
		begin.accept(this.engines.server());
		IntStream.range(0, LOCKS)
			.forEach((i) -> assertThatExceptionOfType(LockEngineException.class)
				.isThrownBy(() -> service.acquire("refused-" + i, OPTIONS)));
		held.forEach(RedisRefusalsIntegrationTests::closeInVain);
		// A few requests may be in flight when their connection breaks
		await().until(() -> member.engine().liveClaims() <= LOCKS + 5);
		await().pollDelay(Duration.ofSeconds(2)).until(() -> true); // a few quick retries
		assertFewRejections();
		end.accept(this.engines.server());
		await().until(() -> this.engines.residue().isEmpty());
		await().until(() -> member.engine().liveClaims() == 0);
		TestMember other = this.engines.member();
		assertThat(other.engine().tryAcquire(other.claim("held-0"))).isInstanceOf(AcquisitionOutcome.Granted.class);
		assertThat(output.getAll().lines().filter(RedisRefusalsIntegrationTests::isWarning)).hasSizeLessThan(6);
	}

	/** The retries take longer on a busy machine, but must not be many all the time. */
	private void assertFewRejections() {
		long first = rejected();
		long begin = System.nanoTime();
		await().untilAsserted(() -> {
			long before = rejected();
			await().pollDelay(WHILE).until(() -> true);
			assertThat(rejected() - before).as("rejected requests within " + WHILE).isLessThan(FEW);
		});
		long windows = (System.nanoTime() - begin) / WHILE.toNanos();
		assertThat(rejected() - first).as("rejected requests within %d times %s", windows, WHILE)
			.isLessThan(FEW * (5 + 2 * windows));
	}

	static Stream<Arguments> rejectionsCostLittleAndLeaveNothing() {
		return Stream.of(
				row("no scripts",
						(server) -> account(server, removed(CommandType.EVALSHA).removeCommand(CommandType.EVAL)),
						(server) -> account(server, args())),
				row("no keys", (server) -> account(server, AclSetuserArgs.Builder.resetKeys()),
						(server) -> account(server, args())),
				row("no writes in scripts",
						(server) -> account(server, removed(CommandType.SET).removeCommand(CommandType.DEL)),
						(server) -> account(server, args())),
				row("read-only", (server) -> server.replicaof("127.0.0.1", 1), RedisCommands::replicaofNoOne),
				row("wrong password", (server) -> {
					account(server, AclSetuserArgs.Builder.resetpass().addPassword("other"));
					server.clientKill(KillArgs.Builder.user(USER));
				}, (server) -> account(server, args())));
	}

	@Test
	void missingPermissionForReplicasNamesTheProperty() {
		account(args());
		account(removed(CommandType.WAIT));
		RedisStandaloneConfiguration login = new RedisStandaloneConfiguration("127.0.0.1", this.server.port());
		login.setUsername(USER);
		login.setPassword("secret");
		TestMember member = this.engines.member(login, RedisEngines.patientSettings(this.engines.namespace(), 1));
		Claim claim = member.claim("k");
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> member.engine().tryAcquire(claim))
			.withMessageContaining("leasehold.redis.replicas-to-wait needs the command WAIT")
			.withMessageContaining("NOPERM");
		member.engine().release(claim);
		assertThat(this.engines.residue()).isEmpty();
	}

	private static Arguments row(String name, Consumer<RedisCommands<String, String>> begin,
			Consumer<RedisCommands<String, String>> end) {
		return Arguments.of(name, begin, end);
	}

	private static AclSetuserArgs removed(CommandType command) {
		return AclSetuserArgs.Builder.removeCommand(command);
	}

	private static AclSetuserArgs args() {
		return AclSetuserArgs.Builder.on().resetpass().addPassword("secret").allKeys().allChannels().allCommands();
	}

	private static void account(RedisCommands<String, String> server, AclSetuserArgs args) {
		server.aclSetuser(USER, args);
	}

	private void account(AclSetuserArgs args) {
		account(this.engines.server(), args);
	}

	/** Other tests of the JVM may have left garbage that the client warns of. */
	private static boolean isWarning(String line) {
		return line.contains(" WARN ") && line.contains(" io.leasehold.");
	}

	private static void closeInVain(HeldLock lock) {
		try {
			lock.close();
		}
		catch (RuntimeException ex) {
			assertThat(ex).hasMessageContaining(lock.key());
		}
	}

	private long rejected() {
		return REJECTED.matcher(this.engines.server().info("commandstats"))
			.results()
			.map((MatchResult result) -> result.group(1))
			.mapToLong(Long::parseLong)
			.sum();
	}

}
