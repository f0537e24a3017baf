package io.leasehold.integration;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

import io.leasehold.server.PostgresTestServer;
import io.leasehold.test.contract.JvmProcess;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two applications of Spring Integration that share messages, by locks of ours on
 * PostgreSQL.
 */
@Tag("full")
class SharedMessagesIntegrationTests {

	private static final int GROUPS = 20;

	/** So often, nothing may go wrong by chance without shared locks. */
	private static final int ROUNDS = 20;

	private static final PostgresTestServer server = PostgresTestServer.shared();

	private static final DriverManagerDataSource database = new DriverManagerDataSource(server.url());

	private final JdbcTemplate jdbc = new JdbcTemplate(database);

	@BeforeAll
	static void createTables() {
		new ResourceDatabasePopulator(
				new ClassPathResource("org/springframework/integration/jdbc/schema-postgresql.sql"),
				new ClassPathResource("io/leasehold/engine/jdbc/migration/postgresql/R__leasehold_lock.sql"))
			.execute(database);
		for (String table : List.of("aggregated", "resequenced")) {
			new JdbcTemplate(database)
				.execute("CREATE TABLE %s (id BIGSERIAL PRIMARY KEY, message_group VARCHAR, content VARCHAR)"
					.formatted(table));
		}
	}

	@Test
	void groupsAreAggregatedAndResequencedOnceAndAKilledLeaderIsFollowed() {
		try (JvmProcess one = IntegrationProcess.start(server.url(), "shared", true);
				JvmProcess other = IntegrationProcess.start(server.url(), "shared", true)) {
			assertThat(send(List.of(one, other), "shared")).isZero();
			assertThat(wrong("shared")).isEmpty();
			one.tell("lead");
			one.expect("granted");
			other.tell("lead");
			one.kill();
			other.expect("granted");
		}
	}

	/**
	 * What the test above finds in the groups, if each application has locks of its own.
	 */
	@Test
	void groupsAreNotAggregatedAndResequencedOnceByLocksOfOneProcess() {
		try (JvmProcess one = IntegrationProcess.start(server.url(), "own", false);
				JvmProcess other = IntegrationProcess.start(server.url(), "own", false)) {
			boolean wrong = false;
			for (int round = 0; round < ROUNDS && !wrong; round++) {
				wrong = send(List.of(one, other), "own" + round) > 0 || !wrong("own" + round).isEmpty();
			}
			assertThat(wrong).isTrue();
		}
	}

	/** Let both applications send their halves, and return how many messages failed. */
	private static long send(List<JvmProcess> applications, String round) {
		for (int half = 0; half < 2; half++) {
			applications.get(half).tell("send %s %s %s".formatted(round, GROUPS, half));
		}
		return applications.stream().map((one) -> one.expect("sent")).mapToLong(Long::parseLong).sum();
	}

	/** Return what came out of the groups of a round, other than each group once. */
	private List<String> wrong(String round) {
		List<String> wrong = new ArrayList<>();
		for (int group = 0; group < GROUPS; group++) {
			String id = round + ":" + group;
			List<String> aggregated = content("aggregated", id).stream()
				.map(SharedMessagesIntegrationTests::sorted)
				.toList();
			if (!aggregated.equals(List.of("1234"))) {
				wrong.add("%s aggregated as %s".formatted(id, aggregated));
			}
			String resequenced = String.join("", content("resequenced", id));
			if (!resequenced.equals("1234")) {
				wrong.add("%s resequenced as %s".formatted(id, resequenced));
			}
		}
		return wrong;
	}

	private List<String> content(String table, String group) {
		return this.jdbc.queryForList("SELECT content FROM %s WHERE message_group = ? ORDER BY id".formatted(table),
				String.class, group);
	}

	private static String sorted(String numbers) {
		return numbers.chars()
			.filter(Character::isDigit)
			.sorted()
			.mapToObj(Character::toString)
			.collect(Collectors.joining());
	}

}
