package io.leasehold.engine.redis;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.leasehold.LockEngineException;
import io.leasehold.LockOptions;
import io.leasehold.engine.Claim;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.engine.redis.RedisEngines.TestMember;
import io.leasehold.metrics.LockMetrics;
import io.leasehold.server.RedisTestServer;
import io.leasehold.service.LockService;
import io.leasehold.test.contract.Fault;
import io.lettuce.core.AclSetuserArgs;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.protocol.CommandType;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * A server that responds, but refuses for the time being: no lock is lost or had by that,
 * and asking again later is worth while.
 */
@Fault({ 16, 18 })
class RedisRefusalsIntegrationTests {

	/** Ends after a while, since a server that runs a script cannot be stopped. */
	private static final String ENDLESS = """
			local start = redis.call('TIME')[1]
			while redis.call('TIME')[1] - start < 15 do
			end
			""";

	private final RedisTestServer server = RedisTestServer.start("enable-debug-command local",
			"enable-protected-configs local");

	private final RedisEngines engines = RedisEngines.patient(this.server.port());

	private final TestMember member = this.engines.member();

	private final RedisClient client = RedisClient.create(RedisURI.create("127.0.0.1", this.server.port()));

	private final RedisCommands<String, String> operator = this.engines.server();

	private final Claim held = this.member.claim("held");

	private final long number = this.member.granted(this.held);

	private final MeterRegistry registry = new SimpleMeterRegistry();

	private final LockService service = this.engines.service(this.engines.member(), new LockMetrics(this.registry));

	@BeforeEach
	void connect() {
		this.service.acquire("warm").close();
	}

	@AfterEach
	void stop() {
		this.client.shutdown();
		this.engines.close();
		this.server.close();
	}

	@Test
	void scriptThatRunsTooLong() {
		this.operator.configSet("busy-reply-threshold", "1");
		CompletableFuture<?> endless = new CompletableFuture<>();
		Thread runner = new Thread(() -> {
			try {
				this.client.connect().sync().eval(ENDLESS, ScriptOutputType.INTEGER);
			}
			catch (RuntimeException ex) {
				endless.complete(null);
			}
		});
		runner.start();
		refusesUntil("BUSY", this.operator::scriptKill);
		endless.join();
	}

	@Test
	void serverThatLoadsItsData() {
		for (int i = 0; i < 200; i++) {
			this.operator.setex("filler:" + i, 60, "x".repeat(2000));
		}
		this.operator.configSet("loading-process-events-interval-bytes", "1024");
		this.operator.configSet("key-load-delay", "30000");
		RedisCommands<String, String> loading = this.client.connect().sync();
		CompletableFuture<String> loaded = CompletableFuture.supplyAsync(loading::debugReload);
		refusesUntil("LOADING", () -> {
			this.operator.configSet("key-load-delay", "0");
			loaded.join();
		});
	}

	@Test
	void replica() {
		this.operator.replicaof("127.0.0.1", 1);
		refusesUntil("READONLY", this.operator::replicaofNoOne);
	}

	@Test
	void replicaWithoutItsMaster() {
		this.operator.configSet("replica-serve-stale-data", "no");
		this.operator.replicaof("127.0.0.1", 1);
		refusesUntil("MASTERDOWN", this.operator::replicaofNoOne);
	}

	@Test
	void masterWithoutTheReplicasThatItWants() {
		this.operator.configSet("min-replicas-to-write", "1");
		refusesUntil("NOREPLICAS", () -> this.operator.configSet("min-replicas-to-write", "0"));
	}

	@Test
	void serverThatCannotSaveItsData() {
		this.operator.configSet("save", "3600 1");
		this.operator.configSet("rdbcompression", "no");
		this.operator.configSet("dbfilename", "."); // a directory
		this.operator.bgsave();
		await().until(() -> this.operator.info("persistence").contains("rdb_last_bgsave_status:err"));
		refusesUntil("MISCONF", () -> this.operator.configSet("save", ""));
	}

	@Test
	void serverWithTheMostConnections() {
		TestMember another = this.engines.member(new RedisStandaloneConfiguration("127.0.0.1", this.server.port()));
		Claim refused = another.claim("refused");
		this.operator.configSet("maxclients", "1");
		await().untilAsserted(() -> assertThatExceptionOfType(LockEngineException.class)
			.isThrownBy(() -> another.engine().tryAcquire(refused))
			.matches(LockEngineException::isRetryable)
			.matches((failure) -> "MAXCLIENTS".equals(failure.refusal())));
		this.operator.configSet("maxclients", "100");
		await().ignoreExceptions().until(() -> another.granted(refused) > this.number);
		assertThat(another.engine().release(refused)).isEqualTo(ReleaseOutcome.RELEASED);
	}

	/** Passes only by somebody's hand, and is counted as well. */
	@Test
	void processThatMayNotRunScripts() {
		this.operator.aclSetuser("default",
				AclSetuserArgs.Builder.removeCommand(CommandType.EVAL).removeCommand(CommandType.EVALSHA));
		isCounted("NOPERM");
	}

	private void isCounted(String word) {
		LockOptions once = new LockOptions("test", "redis", RedisEngines.LEASE, Duration.ZERO, Duration.ZERO,
				LockOptions.UNLIMITED);
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> this.service.acquire("counted", once))
			.matches((refused) -> word.equals(refused.refusal()));
		assertThat(this.registry.get("leasehold.refused").tags("engine", "redis", "reason", word).counter().count())
			.isEqualTo(1);
	}

	private void refusesUntil(String word, Runnable cure) {
		Claim refused = this.member.claim("refused");
		try {
			await().untilAsserted(() -> assertThatExceptionOfType(LockEngineException.class)
				.isThrownBy(() -> this.member.engine().tryAcquire(refused))
				.withMessageContaining(word)
				.matches(LockEngineException::isRetryable));
			assertThat(this.member.renew(this.held, this.number)).isInstanceOfSatisfying(RenewalOutcome.Unknown.class,
					(unknown) -> assertThat(unknown.cause()).hasMessageContaining(word));
			isCounted(word);
		}
		finally {
			cure.run(); // a server that cannot save its data does not stop
		}
		await().ignoreExceptions().until(() -> this.member.granted(refused) > this.number);
		assertThat(this.member.renew(this.held, this.number)).isInstanceOf(RenewalOutcome.Renewed.class);
		assertThat(this.member.engine().release(refused)).isEqualTo(ReleaseOutcome.RELEASED);
		assertThat(this.member.engine().release(this.held)).isEqualTo(ReleaseOutcome.RELEASED);
	}

}
