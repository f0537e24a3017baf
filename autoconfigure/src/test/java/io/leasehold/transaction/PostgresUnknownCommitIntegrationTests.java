package io.leasehold.transaction;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import com.zaxxer.hikari.HikariDataSource;
import io.leasehold.DistributedLocks;
import io.leasehold.HeldLock;
import io.leasehold.autoconfigure.LeaseholdAutoConfiguration;
import io.leasehold.autoconfigure.LeaseholdLocalAutoConfiguration;
import io.leasehold.server.FaultProxy;
import io.leasehold.server.PostgresTestServer;
import io.leasehold.test.contract.Fault;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/**
 * Commits over a network that fails at that moment: the next owner of the lock sees their
 * rows, whether they arrive or not.
 */
@Tag("full")
@Fault(173)
class PostgresUnknownCommitIntegrationTests {

	private final PostgresTestServer server = PostgresTestServer.shared();

	private final JdbcTemplate observer = new JdbcTemplate(new DriverManagerDataSource(this.server.url()));

	private final FaultProxy network = FaultProxy.to(this.server.port());

	private final HikariDataSource pool = new HikariDataSource();

	private FaultProxy.@Nullable Valve stranded;

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(
				AutoConfigurations.of(LeaseholdAutoConfiguration.class, LeaseholdLocalAutoConfiguration.class))
		.withPropertyValues("leasehold.engine=local", "leasehold.lease=10m", "leasehold.wait-time=0s");

	@BeforeEach
	void createTable() {
		this.observer.execute("DROP TABLE IF EXISTS late_sale");
		this.observer.execute("CREATE TABLE late_sale (id INT UNIQUE DEFERRABLE INITIALLY DEFERRED)");
		this.pool.setJdbcUrl(this.server.url(this.network.port()) + "&socketTimeout=1");
		this.pool.setMaximumPoolSize(2);
	}

	@AfterEach
	void closeNetwork() throws Exception {
		this.pool.close();
		this.network.close();
	}

	@ParameterizedTest
	@MethodSource("cases")
	void keyIsFreeOnlyOnceTheCommitIsSettled(TransactionKind kind, boolean inside, Commit commit) {
		this.runner.run((context) -> {
			DistributedLocks locks = context.getBean(DistributedLocks.class);
			AbstractPlatformTransactionManager manager = kind.manager(this.pool);
			CommitGuard.addTo(manager, true);
			TransactionTemplate transaction = failing(manager, commit);
			assertThatThrownBy(() -> {
				if (inside) {
					transaction.executeWithoutResult((status) -> {
						locks.acquire("sale").close();
						insert(commit);
					});
				}
				else {
					locks.call("sale", (lock) -> {
						transaction.executeWithoutResult((status) -> insert(commit));
						return null;
					});
				}
			}).isInstanceOf(RuntimeException.class);
			if (commit == Commit.REFUSED) {
				await().until(() -> isFree(locks));
				assertThat(rows()).isZero();
				return;
			}
			assertThat(isFree(locks)).isFalse();
			if (commit == Commit.LATE) {
				assertThat(rows()).isZero();
				Objects.requireNonNull(this.stranded).open();
			}
			await().until(() -> rows() == 1);
			assertThat(isFree(locks)).isFalse();
		});
	}

	/** Let the network fail just before the commit is sent. */
	private TransactionTemplate failing(AbstractPlatformTransactionManager manager, Commit commit) {
		List<TransactionExecutionListener> listeners = new ArrayList<>(manager.getTransactionExecutionListeners());
		listeners.add(new TransactionExecutionListener() {

			@Override
			public void beforeCommit(TransactionExecution transaction) {
				switch (commit) {
					case LATE -> PostgresUnknownCommitIntegrationTests.this.stranded = network().strandRequests();
					case UNANSWERED -> network().replies().reset();
					case REFUSED -> {
					}
				}
			}

		});
		manager.setTransactionExecutionListeners(listeners);
		return new TransactionTemplate(manager);
	}

	private FaultProxy network() {
		return this.network;
	}

	private void insert(Commit commit) {
		JdbcTemplate jdbc = new JdbcTemplate(this.pool);
		jdbc.update("INSERT INTO late_sale VALUES (1)");
		if (commit == Commit.REFUSED) {
			jdbc.update("INSERT INTO late_sale VALUES (1)");
		}
	}

	private int rows() {
		return Objects.requireNonNull(this.observer.queryForObject("SELECT COUNT(*) FROM late_sale", Integer.class));
	}

	/** Return whether another owner is granted the key. */
	private static boolean isFree(DistributedLocks locks) {
		return CompletableFuture.supplyAsync(() -> {
			Optional<HeldLock> lock = locks.tryAcquire("sale");
			lock.ifPresent(HeldLock::close);
			return lock.isPresent();
		}, (run) -> new Thread(run).start()).join();
	}

	static Stream<Arguments> cases() {
		return Stream.of(TransactionKind.JDBC, TransactionKind.JPA)
			.flatMap((kind) -> Stream.of(false, true)
				.flatMap((inside) -> Stream.of(Commit.values()).map((commit) -> Arguments.of(kind, inside, commit))));
	}

	/** What becomes of the commit. */
	enum Commit {

		/** It arrives after its client has given up. */
		LATE,

		/** It is carried out, and the connection breaks instead of a response. */
		UNANSWERED,

		/** A constraint is violated. */
		REFUSED

	}

}
