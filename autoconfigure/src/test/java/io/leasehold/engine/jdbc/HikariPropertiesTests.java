package io.leasehold.engine.jdbc;

import java.beans.Introspector;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.SQLExceptionOverride;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.leasehold.test.contract.Fault;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.beans.BeanUtils;
import org.springframework.jdbc.datasource.SimpleDriverDataSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Each property of HikariCP: those that decide where or how a connection leads are taken
 * over from the application's pool, the others are the engine's own or refused. A
 * property of a later version fails this test until it is classified.
 */
@Fault(184)
class HikariPropertiesTests {

	private static final Duration CALL = Duration.ofSeconds(30);

	private static final Queue<String> EVENTS = new ConcurrentLinkedQueue<>();

	private static final JdbcLogin NOBODY = new JdbcLogin(null, null);

	/**
	 * The bean that reads the pool refuses them, see {@code JdbcApplicationPoolTests}.
	 */
	private static final Set<String> REFUSED = Set.of("dataSourceJNDI");

	/**
	 * Read whenever a connection is opened, see
	 * {@code LeaseholdJdbcAutoConfigurationTests}.
	 */
	private static final Set<String> CREDENTIALS = Set.of("username", "password", "credentials", "credentialsProvider",
			"credentialsProviderClassName");

	/** What the connections to a recording database show, or the engine's pool itself. */
	private static final Map<String, Taken> TAKEN_OVER = Map.ofEntries(
			taken("jdbcUrl", (pool) -> pool.setJdbcUrl("jdbc:recording:other"), "connect jdbc:recording:other"),
			taken("driverClassName", (pool) -> pool.setDriverClassName(RecordingDriver.class.getName()),
					"connect jdbc:recording:"),
			taken("dataSourceProperties", (pool) -> {
				Properties properties = new Properties();
				properties.put("ssl", true);
				pool.setDataSourceProperties(properties);
			}, "property ssl=true"),
			taken("dataSourceProperty", (pool) -> pool.addDataSourceProperty("sslmode", "verify-full"),
					"property sslmode=verify-full"),
			taken("catalog", (pool) -> pool.setCatalog("shop"), "setCatalog shop"),
			taken("schema", (pool) -> pool.setSchema("PUBLIC"), "setSchema PUBLIC"),
			taken("connectionInitSql", (pool) -> pool.setConnectionInitSql("SET @a = 1"), "execute SET @a = 1"),
			taken("dataSource",
					(pool) -> pool
						.setDataSource(new SimpleDriverDataSource(new RecordingDriver(), "jdbc:recording:inside")),
					"connect jdbc:recording:inside"),
			taken("dataSourceClassName", (pool) -> {
				pool.setDataSourceClassName(RecordedDataSource.class.getName());
				pool.addDataSourceProperty("url", "jdbc:recording:created");
			}, "connect jdbc:recording:created"),
			taken("connectionTestQuery", (pool) -> pool.setConnectionTestQuery("SELECT 2"),
					"pool connectionTestQuery=SELECT 2"),
			taken("keepaliveTime", (pool) -> pool.setKeepaliveTime(45_000), "pool keepaliveTime=45000"),
			taken("maxLifetime", (pool) -> pool.setMaxLifetime(60_000), "pool maxLifetime=60000"),
			taken("exceptionOverride", (pool) -> pool.setExceptionOverride(new Leniency()),
					"pool exceptionOverride=lenient"),
			taken("exceptionOverrideClassName", (pool) -> pool.setExceptionOverrideClassName(Leniency.class.getName()),
					"pool exceptionOverride=lenient"));

	/** The engine's own, of a type of a library that is not present here. */
	private static final Set<String> OF_ANOTHER_LIBRARY = Set.of("healthCheckRegistry");

	/** Values that leave the engine's pool as it is. */
	private static final Map<String, Consumer<HikariConfig>> OWN = Map.ofEntries(
			own("allowPoolSuspension", (pool) -> pool.setAllowPoolSuspension(true)),
			own("autoCommit", (pool) -> pool.setAutoCommit(false)),
			own("connectionTimeout", (pool) -> pool.setConnectionTimeout(77_000)),
			own("healthCheckProperties", (pool) -> pool.setHealthCheckProperties(new Properties())),
			own("healthCheckProperty", (pool) -> pool.addHealthCheckProperty("a", "b")),
			own("idleTimeout", (pool) -> pool.setIdleTimeout(77_000)),
			own("initializationFailTimeout", (pool) -> pool.setInitializationFailTimeout(77)),
			own("isolateInternalQueries", (pool) -> pool.setIsolateInternalQueries(true)),
			own("leakDetectionThreshold", (pool) -> pool.setLeakDetectionThreshold(77_000)),
			own("maximumPoolSize", (pool) -> pool.setMaximumPoolSize(77)),
			own("metricRegistry", (pool) -> pool.setMetricRegistry(new SimpleMeterRegistry())),
			own("metricsTrackerFactory", (pool) -> pool.setMetricsTrackerFactory((name, stats) -> null)),
			own("minimumIdle", (pool) -> pool.setMinimumIdle(7)),
			own("poolName", (pool) -> pool.setPoolName("application")),
			own("readOnly", (pool) -> pool.setReadOnly(true)),
			own("registerMbeans", (pool) -> pool.setRegisterMbeans(true)),
			own("scheduledExecutor", (pool) -> pool.setScheduledExecutor(new ScheduledThreadPoolExecutor(0))),
			own("threadFactory", (pool) -> pool.setThreadFactory(Thread::new)),
			own("transactionIsolation", (pool) -> pool.setTransactionIsolation("TRANSACTION_SERIALIZABLE")),
			own("validationTimeout", (pool) -> pool.setValidationTimeout(777)));

	@Test
	void eachPropertyIsClassified() {
		Set<String> known = Stream.of(REFUSED, CREDENTIALS, OF_ANOTHER_LIBRARY, TAKEN_OVER.keySet(), OWN.keySet())
			.flatMap(Collection::stream)
			.collect(Collectors.toSet());
		assertThat(Arrays.stream(HikariConfig.class.getMethods())
			.filter((method) -> method.getName().matches("(set|add)[A-Z]\\w*"))
			.map((method) -> Introspector.decapitalize(method.getName().substring(3)))
			.collect(Collectors.toSet())).containsExactlyInAnyOrderElementsOf(known);
	}

	static Collection<Map.Entry<String, Taken>> takenOver() {
		return new TreeMap<>(TAKEN_OVER).entrySet();
	}

	@ParameterizedTest
	@MethodSource("takenOver")
	void whatLeadsAConnectionIsTakenOver(Map.Entry<String, Taken> property) throws SQLException {
		HikariConfig application = application();
		property.getValue().set().accept(application);
		EVENTS.clear();
		try (JdbcConnections connections = JdbcConnections.like(application, () -> NOBODY, 1, CALL)) {
			HikariDataSource pool = (HikariDataSource) connections.dataSource();
			try (Connection connection = pool.getConnection()) {
				assertThat(connection.isValid(1)).isTrue();
			}
			properties(pool).forEach((name, value) -> EVENTS.add("pool %s=%s".formatted(name, value)));
		}
		assertThat(EVENTS).contains(property.getValue().event());
	}

	static Collection<String> own() {
		return new TreeMap<>(OWN).keySet();
	}

	@ParameterizedTest
	@MethodSource("own")
	void restOfTheApplicationsPoolLeavesTheEnginesAsItIs(String property) {
		HikariConfig application = application();
		OWN.get(property).accept(application);
		assertThat(pool(application)).isEqualTo(pool(application()));
	}

	@Test
	void sessionIsSetUpForTheEngineAfterTheApplicationsStatement() throws SQLException {
		HikariConfig application = application();
		application.setConnectionInitSql("SET LOCK_TIMEOUT 7");
		EVENTS.clear();
		new DriverConnections(application, () -> NOBODY, Duration.ofSeconds(4)).getConnection().close();
		assertThat(EVENTS).containsSubsequence("execute SET LOCK_TIMEOUT 7", "execute SET LOCK_TIMEOUT 3000");
	}

	private static Map<String, Object> pool(HikariConfig application) {
		try (JdbcConnections connections = JdbcConnections.like(application, () -> NOBODY, 1, CALL)) {
			Map<String, Object> properties = properties((HikariDataSource) connections.dataSource());
			properties.remove("dataSource");
			return properties;
		}
	}

	private static Map<String, Object> properties(HikariDataSource pool) {
		Map<String, Object> properties = new LinkedHashMap<>();
		Arrays.stream(BeanUtils.getPropertyDescriptors(HikariConfig.class))
			.filter((descriptor) -> descriptor.getReadMethod() != null)
			.forEach((descriptor) -> properties.put(descriptor.getName(), read(descriptor.getReadMethod(), pool)));
		properties.keySet().removeAll(List.of("class", "credentials"));
		return properties;
	}

	private static Object read(Method getter, HikariDataSource pool) {
		try {
			return getter.invoke(pool);
		}
		catch (ReflectiveOperationException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static HikariConfig application() {
		HikariConfig config = new HikariConfig();
		config.setDriverClassName(RecordingDriver.class.getName());
		config.setJdbcUrl("jdbc:recording:");
		return config;
	}

	private static Map.Entry<String, Taken> taken(String name, Consumer<HikariConfig> set, String event) {
		return Map.entry(name, new Taken(set, event));
	}

	private static Map.Entry<String, Consumer<HikariConfig>> own(String name, Consumer<HikariConfig> set) {
		return Map.entry(name, set);
	}

	private record Taken(Consumer<HikariConfig> set, String event) {
	}

	/** Opens a database in memory whatever the URL, and records what is done to it. */
	public static class RecordingDriver extends org.h2.Driver {

		@Override
		public boolean acceptsURL(String url) {
			return url.startsWith("jdbc:recording:");
		}

		@Override
		public Connection connect(String url, Properties info) throws SQLException {
			EVENTS.add("connect " + url);
			info.forEach((name, value) -> EVENTS.add("property %s=%s".formatted(name, value)));
			Connection opened = super.connect("jdbc:h2:mem:", new Properties());
			return recording(Connection.class, opened, "setCatalog|setSchema");
		}

		private static <T> T recording(Class<T> type, T target, String methods) {
			return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type },
					(proxy, method, arguments) -> {
						if (method.getName().matches(methods)) {
							EVENTS.add("%s %s".formatted(method.getName(), arguments[0]));
						}
						Object result = method.invoke(target, arguments);
						return (result instanceof Statement statement && method.getReturnType() == Statement.class)
								? recording(Statement.class, statement, "execute") : result;
					}));
		}

	}

	public static class RecordedDataSource extends SimpleDriverDataSource {

		public RecordedDataSource() {
			setDriver(new RecordingDriver());
		}

	}

	public static class Leniency implements SQLExceptionOverride {

		@java.lang.Override
		public String toString() {
			return "lenient";
		}

	}

}
