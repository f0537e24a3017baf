package io.leasehold.engine.jdbc;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.leasehold.HeldLock;
import io.leasehold.LockKey;
import io.leasehold.LockLostException;
import io.leasehold.LockMode;
import io.leasehold.LockOptions;
import io.leasehold.LossCause;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.server.PostgresTestServer;
import io.leasehold.service.LockService;
import io.leasehold.service.ReleaseTiming;
import io.leasehold.test.contract.TestSettings;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.datasource.init.ScriptUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Holders whose lock an operator releases in another process.
 */
class PostgresRevocationIntegrationTests {

	/** Nothing is renewed within the time of a test. */
	private static final Duration LEASE = Duration.ofHours(1);

	private static final LockKey KEY = new LockKey("order:42");

	private final String url = PostgresTestServer.shared().url();

	private final JdbcSettings settings = new JdbcSettings("ns-" + UUID.randomUUID(), JdbcSettings.DEFAULT_TABLE,
			Duration.ofSeconds(5), Duration.ofMillis(50), Duration.ofMillis(50), Duration.ofDays(7), true);

	private final List<AutoCloseable> opened = new ArrayList<>();

	private final JdbcLockEngine operator = engine();

	private final LockService holder = service();

	private Connection connection;

	@BeforeEach
	void open() throws SQLException {
		this.connection = DriverManager.getConnection(this.url);
		ScriptUtils.executeSqlScript(this.connection, new ClassPathResource(LockTableScript.location("postgresql")));
	}

	@AfterEach
	void close() throws Exception {
		for (AutoCloseable resource : this.opened) {
			resource.close();
		}
		this.connection.close();
	}

	@Test
	void holderLearnsOfItsForcedReleaseLongBeforeItsNextRenewal() throws Exception {
		HeldLock held = this.holder.acquire(KEY.value(), options());
		CompletableFuture<LockLostException> loss = lossOf(held);
		listen();
		assertThat(this.operator.forceRelease(KEY)).hasSize(1);
		assertThat(loss.get(1, TimeUnit.MINUTES).getLossCause()).isEqualTo(LossCause.NOT_OWNER);
		assertThat(held.isValid()).isFalse();
	}

	@Test
	void eachOfSeveralReadersLearnsOfTheForcedRelease() throws Exception {
		LockOptions shared = options().toBuilder().mode(LockMode.SHARED).build();
		CompletableFuture<LockLostException> one = lossOf(this.holder.acquire(KEY.value(), shared));
		CompletableFuture<LockLostException> two = lossOf(this.holder.acquireAsync(KEY.value(), shared).get());
		listen();
		assertThat(this.operator.forceRelease(KEY)).hasSize(2);
		assertThat(one.get(1, TimeUnit.MINUTES).getLossCause()).isEqualTo(LossCause.NOT_OWNER);
		assertThat(two.get(1, TimeUnit.MINUTES).getLossCause()).isEqualTo(LossCause.NOT_OWNER);
	}

	@Test
	void reportOfAnotherGrantOrAnotherKeyChangesNothing() throws Exception {
		HeldLock other = this.holder.acquire("order:43", options());
		CompletableFuture<LockLostException> lossOfOther = lossOf(other);
		HeldLock held = this.holder.acquire(KEY.value(), options());
		CompletableFuture<LockLostException> loss = lossOf(held);
		listen();
		long number = this.operator.inspect(KEY).get(0).number();
		RowId row = RowId.of(this.settings.namespace(), KEY);
		publish(GrantReports.revoked(number - 1, row));
		publish(GrantReports.revoked(number + 1, row));
		publish("revoke %d:%s ".formatted(number, row));
		publish(GrantReports.revoked(this.operator.inspect(new LockKey("order:43")).get(0).number(), row));
		assertThat(loss).isNotDone();
		publish(GrantReports.revoked(number, row));
		assertThat(loss.get(1, TimeUnit.MINUTES).getLossCause()).isEqualTo(LossCause.NOT_OWNER);
		assertThat(lossOfOther).isNotDone();
		assertThat(other.isValid()).isTrue();
	}

	/** A process that never waited for a lock listens from its first renewal on. */
	@Test
	void holderThatNeverWaitedLearnsOfItAfterItsFirstRenewal() throws Exception {
		LockOptions renewed = options().toBuilder().lease(Duration.ofSeconds(30)).build();
		HeldLock held = this.holder.acquire(KEY.value(), renewed);
		CompletableFuture<LockLostException> loss = lossOf(held);
		assertThat(listeners()).isZero();
		await().atMost(Duration.ofMinutes(1)).until(() -> listeners() == 1);
		// The listener may begin before the response to the renewal
		await().atMost(Duration.ofMinutes(1)).until(() -> held.remaining().compareTo(Duration.ofSeconds(20)) > 0);
		this.operator.forceRelease(KEY);
		loss.get(1, TimeUnit.MINUTES);
	}

	private static CompletableFuture<LockLostException> lossOf(HeldLock held) {
		CompletableFuture<LockLostException> loss = new CompletableFuture<>();
		held.onLost(loss::complete);
		return loss;
	}

	/** Let the holder's process wait for a lock once, and thus listen. */
	private void listen() throws Exception {
		LockService other = service();
		HeldLock obstacle = other.acquire("obstacle", options());
		CompletableFuture<HeldLock> waiting = this.holder.acquireAsync("obstacle", options());
		await().until(() -> listeners() == 1);
		obstacle.close();
		waiting.get(1, TimeUnit.MINUTES).close();
	}

	/** How many sessions have listened: one whose query still runs may miss messages. */
	private long listeners() throws SQLException {
		try (Statement statement = this.connection.createStatement();
				ResultSet rows = statement.executeQuery(
						"SELECT COUNT(*) FROM pg_stat_activity WHERE state = 'idle' AND query = 'LISTEN %s' AND pid <> pg_backend_pid()"
							.formatted(this.settings.channel()))) {
			rows.next();
			return rows.getLong(1);
		}
	}

	private void publish(String payload) throws SQLException {
		try (Statement statement = this.connection.createStatement()) {
			statement.execute("NOTIFY %s, '%s'".formatted(this.settings.channel(), payload));
		}
	}

	private static LockOptions options() {
		return new LockOptions("test", JdbcLockEngine.NAME, LEASE, Duration.ofSeconds(60), Duration.ZERO,
				LockOptions.UNLIMITED);
	}

	private JdbcLockEngine engine() {
		JdbcLockEngine engine = new JdbcLockEngine(
				JdbcConnections.open(this.url, null, null, null, 2, this.settings.callTimeout()), this.settings,
				MonotonicClock.SYSTEM);
		this.opened.add(engine);
		return engine;
	}

	private LockService service() {
		LockService service = new LockService(TestSettings.of(options()), List.of(engine()), Member.of("shop"),
				MonotonicClock.SYSTEM, List.of(), ReleaseTiming.IMMEDIATE);
		this.opened.add(0, service);
		return service;
	}

}
