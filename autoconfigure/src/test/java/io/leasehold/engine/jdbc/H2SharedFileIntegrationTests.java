package io.leasehold.engine.jdbc;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.List;

import io.leasehold.LockKey;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Member;
import io.leasehold.test.contract.EngineAddress;
import io.leasehold.test.contract.LockProcess;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.datasource.init.ScriptUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The process that was first to open an H2 file, and serves it to the others, is killed.
 */
@Tag("full")
class H2SharedFileIntegrationTests {

	@TempDir
	private Path folder;

	@Test
	void othersGoOnWithTheLocksThatTheKilledServerOfTheFileKnew() throws Exception {
		String url = H2Files.url(this.folder);
		try (Connection connection = DriverManager.getConnection(url)) {
			ScriptUtils.executeSqlScript(connection, new ClassPathResource(LockTableScript.location("h2")));
		}
		Member member = Member.of("shop");
		EngineAddress address = new EngineAddress(JdbcLockEngineContract.Opener.class, List.of(url));
		try (LockProcess server = LockProcess.start(address, "ns")) {
			server.acquire("first", Duration.ofSeconds(60));
			try (JdbcLockEngine engine = (JdbcLockEngine) address.open("ns", member)) {
				Claim kept = claim(member, "kept");
				assertThat(engine.tryAcquire(kept)).isInstanceOf(AcquisitionOutcome.Granted.class);
				server.kill();
				await().atMost(Duration.ofSeconds(30))
					.ignoreExceptions()
					.until(() -> !engine.inspect(kept.key()).isEmpty());
				assertThat(engine.inspect(new LockKey("first"))).isNotEmpty();
				assertThat(engine.tryAcquire(claim(member, "first"))).isInstanceOf(AcquisitionOutcome.Busy.class);
				assertThat(engine.tryAcquire(claim(member, "kept"))).isInstanceOf(AcquisitionOutcome.Busy.class);
			}
		}
	}

	private static Claim claim(Member member, String key) {
		return new Claim(new LockKey(key), member.newOwner(), Duration.ofSeconds(60), Duration.ZERO, false,
				System.nanoTime());
	}

}
