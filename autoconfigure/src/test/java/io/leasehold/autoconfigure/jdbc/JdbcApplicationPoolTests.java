package io.leasehold.autoconfigure.jdbc;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import io.leasehold.DistributedLocks;
import io.leasehold.HeldLock;
import io.leasehold.autoconfigure.LockEngineConfigurationException;
import io.leasehold.engine.jdbc.JdbcConnections;
import io.leasehold.test.contract.Fault;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.SimpleDriverDataSource;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The engine's connections lead where those of the application lead, whatever the
 * application's pool and the proxies before it.
 */
@Fault(184)
@ExtendWith(OutputCaptureExtension.class)
class JdbcApplicationPoolTests extends JdbcApplicationFixture {

	private static final String SHARING = "locks share its connections";

	private final String elsewhere = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";

	/** Two schemas beside PUBLIC. */
	@BeforeEach
	void createSchemas() throws SQLException {
		try (Connection connection = DriverManager.getConnection(this.url, "sa", "");
				Statement statement = connection.createStatement()) {
			statement.execute("CREATE SCHEMA one");
			statement.execute("CREATE SCHEMA two");
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "spring.datasource.hikari.schema=%s",
			"spring.datasource.hikari.connection-init-sql=SET SCHEMA %s",
			"spring.datasource.hikari.data-source-properties.INIT=SET SCHEMA %s" })
	void applicationsWithSchemasOfTheirOwnHaveLocksOfTheirOwn(String property) {
		this.runner.withPropertyValues(property.formatted("ONE")).run((one) -> {
			assertThat(one).hasNotFailed();
			this.runner.withPropertyValues(property.formatted("TWO")).run((two) -> {
				try (HeldLock first = one.getBean(DistributedLocks.class).acquire("order");
						HeldLock second = two.getBean(DistributedLocks.class).acquire("order")) {
					assertThat(first.isValid()).isTrue();
					assertThat(second.isValid()).isTrue();
				}
				assertThat(schemasOfTheTable(this.url)).containsExactly("ONE", "TWO");
			});
		});
	}

	@Test
	void urlOfThePoolHasPrecedenceAsForTheApplication() {
		this.runner.withPropertyValues("spring.datasource.hikari.jdbc-url=" + this.elsewhere)
			.run((context) -> assertLocksAreWhereTheApplicationIs(context, this.elsewhere));
	}

	@Test
	void dataSourceOfThePoolIsCreatedAgain(CapturedOutput output) {
		this.bare.withBean(HikariDataSource.class, () -> {
			HikariDataSource pool = new HikariDataSource();
			pool.setDataSourceClassName(JdbcDataSource.class.getName());
			pool.addDataSourceProperty("url", this.elsewhere);
			pool.addDataSourceProperty("user", "sa");
			return pool;
		}).run((context) -> {
			assertLocksAreWhereTheApplicationIs(context, this.elsewhere);
			assertThat(output).doesNotContain(SHARING);
		});
	}

	@Test
	void dataSourceInsideThePoolIsUsed(CapturedOutput output) {
		this.bare.withBean(HikariDataSource.class, () -> {
			HikariDataSource pool = new HikariDataSource();
			pool.setDataSource(new DriverManagerDataSource(this.elsewhere, "sa", ""));
			return pool;
		}).run((context) -> {
			assertLocksAreWhereTheApplicationIs(context, this.elsewhere);
			assertThat(output).doesNotContain(SHARING);
		});
	}

	/** Ways to put something before a pool. */
	static Stream<Map.Entry<String, UnaryOperator<DataSource>>> wrappers() {
		return Map
			.<String, UnaryOperator<DataSource>>of("delegating", DelegatingDataSource::new, "transaction aware",
					TransactionAwareDataSourceProxy::new, "lazy", LazyConnectionDataSourceProxy::new, "router",
					(pool) -> router(Map.of("a", new DriverManagerDataSource("jdbc:nope:")), pool), "lazy router",
					(pool) -> new LazyConnectionDataSourceProxy(
							router(Map.of("a", new DriverManagerDataSource("jdbc:nope:")), pool)))
			.entrySet()
			.stream();
	}

	@ParameterizedTest
	@MethodSource("wrappers")
	void poolBehindAProxyIsFound(Map.Entry<String, UnaryOperator<DataSource>> wrapper, CapturedOutput output) {
		this.bare.withBean(DataSource.class, () -> wrapper.getValue().apply(pool())).run((context) -> {
			assertThat(schemasOfTheTable(this.url)).containsExactly("ONE");
			context.getBean(DistributedLocks.class).acquire("order").close();
			assertThat(output).doesNotContain(SHARING);
		});
	}

	@Test
	void routerWithoutADefaultTargetIsRefused() {
		for (ApplicationContextRunner runner : List.of(
				this.bare.withBean(DataSource.class, () -> router(Map.of("a", pool()), null)),
				this.bare.withBean(DataSource.class,
						() -> new LazyConnectionDataSourceProxy(router(Map.of("a", pool()), null))),
				this.runner
					.withBean("routing", DataSource.class, () -> router(Map.of("a", pool()), null),
							(definition) -> definition.setPrimary(false))
					.withPropertyValues("leasehold.jdbc.data-source=routing"))) {
			runner.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(LockEngineConfigurationException.class)
				.hasMessageContaining("is a router without a default target")
				.hasMessageContaining("leasehold.jdbc.data-source"));
		}
	}

	/** The engine's threads have no key for it, but callers have. */
	@Test
	void routerThatHasNoPoolIsNotAskedForEachCall() {
		DataSource byDefault = new DriverManagerDataSource(this.url, "sa", "");
		this.bare
			.withBean(DataSource.class,
					() -> router(Map.of("a", new DriverManagerDataSource(this.elsewhere, "sa", "")), byDefault))
			.run((context) -> assertThat(context.getBean(JdbcConnections.class).dataSource()).isSameAs(byDefault));
	}

	@Test
	void poolOfAContainerIsRefused() {
		this.bare.withBean(HikariDataSource.class, () -> {
			HikariDataSource pool = new HikariDataSource();
			pool.setDataSourceJNDI("java:comp/env/jdbc/shop");
			return pool;
		})
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(LockEngineConfigurationException.class)
				.hasMessageContaining("spring.datasource.hikari.data-source-jndi")
				.hasMessageContaining("leasehold.jdbc.data-source"));
	}

	/** A pool that is not HikariCP: its URL and credentials are known, no more. */
	@ParameterizedTest
	@ValueSource(strings = { "tomcat.init-s-q-l", "tomcat.initSQL", "tomcat.connection-properties",
			"tomcat.db-properties.ssl", "tomcat.default-catalog", "tomcat.jdbc-interceptors", "tomcat.url",
			"tomcat.data-source-j-n-d-i", "dbcp2.connection-init-sqls", "dbcp2.connection-properties",
			"dbcp2.default-schema", "dbcp2.connection-factory-class-name", "dbcp2.driver-class-name",
			"oracleucp.connection-properties.ssl", "oracleucp.u-r-l", "oracleucp.role-name",
			"oracleucp.o-n-s-configuration", "xa.data-source-class-name", "xa.properties.sslmode" })
	void settingOfAnotherPoolIsRefusedByItsName(String property) {
		ApplicationContextRunner other = this.runner
			.withPropertyValues("spring.datasource.type=" + SimpleDriverDataSource.class.getName());
		other.withPropertyValues("spring.datasource.%s=x".formatted(property))
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(LockEngineConfigurationException.class)
				.hasMessageContaining("but not spring.datasource." + property)
				.hasMessageContaining("leasehold.jdbc.data-source"));
		this.runner.withPropertyValues("spring.datasource.%s=x".formatted(property))
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void sizesOfAnotherPoolAreNotRefused(CapturedOutput output) {
		this.runner
			.withPropertyValues("spring.datasource.type=" + SimpleDriverDataSource.class.getName(),
					"spring.datasource.tomcat.max-active=5", "spring.datasource.tomcat.max-wait=1000",
					"spring.datasource.dbcp2.max-total=5", "spring.datasource.dbcp2.validation-query=SELECT 1")
			.run((context) -> {
				assertLocksAreWhereTheApplicationIs(context, this.url);
				assertThat(output).doesNotContain(SHARING);
			});
	}

	private HikariDataSource pool() {
		HikariDataSource pool = new HikariDataSource();
		pool.setJdbcUrl(this.url);
		pool.setUsername("sa");
		pool.setSchema("ONE");
		return pool;
	}

	/** Most routers to replicas never return null, and need no default target. */
	@Test
	void targetThatARouterChoosesHasPrecedenceOverItsDefault() {
		DataSource nowhere = new DriverManagerDataSource("jdbc:nope:");
		for (DataSource byDefault : Arrays.asList(null, nowhere)) {
			for (UnaryOperator<DataSource> proxy : List.<UnaryOperator<DataSource>>of(UnaryOperator.identity(),
					LazyConnectionDataSourceProxy::new)) {
				this.bare
					.withBean(DataSource.class,
							() -> proxy.apply(router(Map.of("primary", proxy.apply(pool()), "replica", nowhere),
									byDefault, "primary")))
					.run((context) -> {
						assertThat(context).hasNotFailed();
						context.getBean(DistributedLocks.class).acquire("order").close();
						assertThat(schemasOfTheTable(this.url)).containsExactly("ONE");
					});
			}
		}
	}

	private static DataSource router(Map<Object, Object> targets, DataSource byDefault) {
		return router(targets, byDefault, null);
	}

	private static DataSource router(Map<Object, Object> targets, DataSource byDefault, String key) {
		AbstractRoutingDataSource router = new AbstractRoutingDataSource() {

			@Override
			protected Object determineCurrentLookupKey() {
				return key;
			}

		};
		router.setTargetDataSources(targets);
		if (byDefault != null) {
			router.setDefaultTargetDataSource(byDefault);
		}
		router.afterPropertiesSet();
		return router;
	}

	private static void assertLocksAreWhereTheApplicationIs(AssertableApplicationContext context, String url)
			throws SQLException {
		assertThat(context).hasNotFailed();
		context.getBean(DistributedLocks.class).acquire("order").close();
		assertThat(schemasOfTheTable(url)).containsExactly("PUBLIC");
		try (Connection connection = context.getBean(DataSource.class).getConnection();
				Connection own = context.getBean(JdbcConnections.class).dataSource().getConnection()) {
			assertThat(own.getMetaData().getURL()).isEqualTo(connection.getMetaData().getURL());
		}
	}

	private static List<String> schemasOfTheTable(String url) throws SQLException {
		try (Connection connection = DriverManager.getConnection(url, "sa", "");
				Statement statement = connection.createStatement();
				ResultSet rows = statement.executeQuery("SELECT table_schema FROM information_schema.tables "
						+ "WHERE table_name = 'LEASEHOLD_LOCK' ORDER BY table_schema")) {
			List<String> schemas = new ArrayList<>();
			while (rows.next()) {
				schemas.add(rows.getString(1));
			}
			return schemas;
		}
	}

}
