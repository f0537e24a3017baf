package io.leasehold.autoconfigure.jdbc;

import java.util.List;
import java.util.function.Supplier;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariConfigMXBean;
import com.zaxxer.hikari.HikariCredentialsProvider;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.util.Credentials;
import io.leasehold.autoconfigure.EngineValues;
import io.leasehold.autoconfigure.LockEngineConfigurationException;
import io.leasehold.engine.jdbc.JdbcConnections;
import io.leasehold.engine.jdbc.JdbcLogin;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.boot.jdbc.DataSourceUnwrapper;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;
import org.springframework.util.StringUtils;

/**
 * Database of the locks: a named data source, or the application's database through
 * separate connections.
 */
record JdbcDatabase(JdbcProperties properties, BeanFactory beans, Environment environment) {

	private static final Log logger = LogFactory.getLog(JdbcDatabase.class);

	private static final String NAME_ANOTHER = "Set leasehold.jdbc.data-source to the name of a DataSource bean that "
			+ "nothing else uses.";

	JdbcConnections connections() {
		String name = this.properties.dataSource();
		if (StringUtils.hasText(name)) {
			DataSource named = named(name);
			if (named == application()) {
				warnOfSharing("leasehold.jdbc.data-source names the application's own DataSource '%s'".formatted(name));
			}
			return JdbcConnections.of(routed(named));
		}
		DataSource application = application();
		if (application == null) {
			throw new LockEngineConfigurationException(
					"There are several DataSource beans, and none of them is primary: the one for locks is unknown.",
					NAME_ANOTHER);
		}
		DataSource source = routed(application);
		JdbcConnectionDetails details = this.beans.getBeanProvider(JdbcConnectionDetails.class).getIfUnique();
		HikariDataSource pool = pool(source);
		if (pool != null) {
			return like(pool, details);
		}
		if (details != null) {
			refuse("The application's connection pool is not HikariCP. The engine takes over the URL, the driver and "
					+ "the credentials of its connections, but not %s.", PoolProperties.find(this.environment));
			refuseCredentials(details.getJdbcUrl());
			return open(() -> JdbcConnections.open(details.getJdbcUrl(), details.getDriverClassName(),
					() -> login(details), this.properties.poolSize(), this.properties.callTimeout()));
		}
		warnOfSharing("The application's DataSource does not expose its URL");
		return JdbcConnections.of(source);
	}

	private static @Nullable HikariDataSource pool(DataSource source) {
		return DataSourceUnwrapper.unwrap(source, HikariConfigMXBean.class, HikariDataSource.class);
	}

	private JdbcConnections like(HikariDataSource pool, @Nullable JdbcConnectionDetails details) {
		if (pool.getDataSource() == null && pool.getDataSourceClassName() == null && pool.getJdbcUrl() == null) {
			refuse("The application's connection pool has no URL. The engine cannot take over %s.",
					List.of("spring.datasource.hikari.data-source-jndi"));
		}
		refuseCredentials(pool.getJdbcUrl());
		Supplier<JdbcLogin> login = (details != null && details.getJdbcUrl().equals(pool.getJdbcUrl()))
				? login(details, pool) : () -> login(pool);
		return open(() -> JdbcConnections.like(pool, login, this.properties.poolSize(), this.properties.callTimeout()));
	}

	private static void refuse(String message, List<String> properties) {
		if (!properties.isEmpty()) {
			throw new LockEngineConfigurationException(message.formatted(String.join(", ", properties)), NAME_ANOTHER);
		}
	}

	/** PostgreSQL's driver takes credentials for a part of the host, and names it. */
	private static void refuseCredentials(@Nullable String url) {
		if (url != null && url.startsWith("jdbc:postgresql:")) {
			EngineValues.refuseCredentials("the URL of the application's DataSource",
					List.of(url.replaceFirst("(//[^/?]*).*", "$1")),
					"Set spring.datasource.username and spring.datasource.password instead.");
		}
	}

	/**
	 * Return the pool that a router chooses for this thread, outside of transactions and
	 * requests, or otherwise the router's default target. Return the given data source if
	 * it is no router.
	 */
	private static DataSource routed(DataSource source) {
		DataSource target = source;
		while (target instanceof DelegatingDataSource proxy && proxy.getTargetDataSource() != null) {
			target = proxy.getTargetDataSource();
		}
		if (!(target instanceof AbstractRoutingDataSource router)) {
			return source;
		}
		HikariDataSource chosen = pool(router);
		if (chosen != null) {
			return chosen;
		}
		DataSource byDefault = router.getResolvedDefaultDataSource();
		if (byDefault == null) {
			throw new LockEngineConfigurationException(
					"The application's DataSource is a router without a default target: the database for locks is unknown.",
					NAME_ANOTHER + " Or set the router's default target DataSource.");
		}
		return routed(byDefault);
	}

	/**
	 * Return the data source of the application's transactions, or {@code null} if the
	 * locks are in another database.
	 */
	@Nullable DataSource ofTransactions() {
		DataSource application = application();
		String name = this.properties.dataSource();
		return (!StringUtils.hasText(name) || named(name) == application) ? application : null;
	}

	private @Nullable DataSource application() {
		return this.beans.getBeanProvider(DataSource.class).getIfUnique();
	}

	private DataSource named(String name) {
		try {
			return this.beans.getBean(name, DataSource.class);
		}
		catch (NoSuchBeanDefinitionException ex) {
			throw new LockEngineConfigurationException(
					"leasehold.jdbc.data-source is '%s', but there is no bean of that name.".formatted(name),
					"Name a bean of type javax.sql.DataSource, or remove the property.");
		}
	}

	private static JdbcConnections open(Supplier<JdbcConnections> pool) {
		try {
			return pool.get();
		}
		catch (IllegalArgumentException ex) {
			throw new LockEngineConfigurationException(ex.getMessage() + ".",
					"Add the driver of your database to the application's dependencies, such as "
							+ "org.postgresql:postgresql, or correct spring.datasource.driver-class-name.");
		}
	}

	/**
	 * Rotated credentials appear in the connection details, or in the application's pool
	 * if the details were read only once.
	 */
	private static Supplier<JdbcLogin> login(JdbcConnectionDetails details, HikariDataSource pool) {
		JdbcLogin first = login(details);
		return () -> {
			JdbcLogin present = login(details);
			return present.equals(first) ? login(pool) : present;
		};
	}

	private static JdbcLogin login(JdbcConnectionDetails details) {
		return new JdbcLogin(details.getUsername(), details.getPassword());
	}

	private static JdbcLogin login(HikariDataSource pool) {
		HikariCredentialsProvider provider = pool.getCredentialsProvider();
		Credentials present = (provider != null) ? provider.getCredentials() : pool.getCredentials();
		return new JdbcLogin(present.getUsername(), present.getPassword());
	}

	private static void warnOfSharing(String why) {
		logger
			.warn("%s: locks share its connections. If threads that work or wait for locks exhaust the pool, renewals "
				.formatted(why) + "are delayed until locks are lost. Configure a separate DataSource for locks in "
					+ "leasehold.jdbc.data-source, with a short connection timeout.");
	}

}
