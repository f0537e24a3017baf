package io.leasehold.soak;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Random;

import io.leasehold.engine.etcd.EtcdOperator;
import io.lettuce.core.AclSetuserArgs;
import io.lettuce.core.KillArgs;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import org.awaitility.Awaitility;

import org.springframework.jdbc.core.JdbcTemplate;

/**
 * Account of the JVMs of a soak at one of the stores.
 */
@FunctionalInterface
interface Account {

	String USER = "soak";

	/** The password that the JVMs know. */
	String PASSWORD = "right";

	/** Set the password. The connections of the account are closed. */
	void password(String password) throws Exception;

	/** Let the JVMs have a wrong password for a while. */
	default void revoke(Random random) throws Exception {
		password("changed");
		Thread.sleep(random.nextInt(3000));
		password(PASSWORD);
	}

	/** Create the account at all servers. */
	static Account redis(RedisClient client, List<Integer> ports) throws Exception {
		Account account = (password) -> {
			for (int port : ports) {
				try (StatefulRedisConnection<String, String> operator = client
					.connect(RedisURI.create("127.0.0.1", port))) {
					operator.sync()
						.aclSetuser(USER,
								AclSetuserArgs.Builder.on()
									.allKeys()
									.allChannels()
									.allCommands()
									.resetpass()
									.addPassword(password));
					operator.sync().clientKill(KillArgs.Builder.user(USER));
				}
			}
		};
		account.password(PASSWORD);
		return account;
	}

	/** Create the account. By default, a server for tests asks for no password. */
	static Account postgres(JdbcTemplate operator) throws Exception {
		operator.execute("CREATE ROLE %s SUPERUSER LOGIN".formatted(USER));
		Account account = (password) -> {
			operator.execute("ALTER ROLE %s PASSWORD '%s'".formatted(USER, password));
			operator.queryForList("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = ?", USER);
		};
		account.password(PASSWORD);
		demandPassword(Path.of(Objects.requireNonNull(operator.queryForObject("SHOW hba_file", String.class))));
		operator.execute("SELECT pg_reload_conf()");
		return account;
	}

	private static void demandPassword(Path rules) throws IOException {
		Files.writeString(rules, "host all %s 127.0.0.1/32 scram-sha-256%n%s".formatted(USER, Files.readString(rules)));
	}

	/**
	 * Create the account, and the one of the operator, who repeats requests while the
	 * cluster has no leader.
	 */
	static Account etcd(String url) {
		EtcdOperator.enableUsers(url);
		EtcdOperator.addUser(url, USER, PASSWORD);
		return (password) -> Awaitility.await()
			.atMost(Duration.ofMinutes(3))
			.ignoreExceptions()
			.untilAsserted(() -> EtcdOperator.setPassword(url, USER, password));
	}

}
