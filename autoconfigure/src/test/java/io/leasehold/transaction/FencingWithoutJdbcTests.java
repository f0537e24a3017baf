package io.leasehold.transaction;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.stream.Collectors;

import io.leasehold.StaleFencingTokenException;
import io.leasehold.reactive.OpenTransaction;
import io.r2dbc.spi.ConnectionFactories;
import io.r2dbc.spi.ConnectionFactory;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

import org.springframework.core.io.ClassPathResource;
import org.springframework.r2dbc.connection.init.ResourceDatabasePopulator;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that the fencing of reactive transactions needs no JDBC, in a JVM without it.
 */
class FencingWithoutJdbcTests {

	@Test
	void formerOwnerIsRefused() throws Exception {
		String classPath = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
			.filter((entry) -> !entry.contains("/spring-jdbc-"))
			.collect(Collectors.joining(File.pathSeparator));
		Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
				classPath, FencingWithoutJdbcTests.class.getName())
			.redirectErrorStream(true)
			.start();
		String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		assertThat(process.waitFor()).as(output).isZero();
		assertThat(output).contains("Token 5 of lock 'stock' is stale: a later owner has announced token 6");
	}

	/**
	 * The other JVM.
	 * @param args none
	 * @throws Exception if JDBC is present
	 */
	public static void main(String[] args) throws Exception {
		ConnectionFactory database = ConnectionFactories.get(ReactiveShopFixture.h2());
		new ResourceDatabasePopulator(
				new ClassPathResource("io/leasehold/transaction/migration/h2/R__leasehold_fence.sql"))
			.populate(database)
			.block();
		R2dbcFencingGuard guard = new R2dbcFencingGuard(database, "", Duration.ofDays(7),
				() -> Mono.just(OpenTransaction.NONE));
		guard.fence(BelievedLock.of(6), Mono.empty()).blockLast();
		try {
			guard.fence(BelievedLock.of(5), Mono.empty()).blockLast();
		}
		catch (StaleFencingTokenException ex) {
			System.out.println(ex.getMessage());
		}
		try {
			Class.forName("org.springframework.jdbc.core.JdbcTemplate");
			throw new IllegalStateException("JDBC is present");
		}
		catch (ClassNotFoundException ex) {
			System.exit(0);
		}
	}

}
