package io.leasehold.autoconfigure.jdbc;

import java.util.function.Supplier;
import javax.sql.DataSource;

import com.zaxxer.hikari.HikariConfigMXBean;
import com.zaxxer.hikari.HikariCredentialsProvider;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.util.Credentials;
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
import org.springframework.util.StringUtils;

/**
 * Database of the locks: a named data source, or the application's database through
 * separate connections.
 */
final class JdbcDatabase {

	private static final Log logger = LogFactory.getLog(JdbcDatabase.class);

	private final JdbcProperties properties;

	private final BeanFactory beans;

	JdbcDatabase(JdbcProperties properties, BeanFactory beans) {
		this.properties = properties;
		this.beans = beans;
	}

	JdbcConnections connections() {
		DataSource application = this.beans.getBeanProvider(DataSource.class).getIfUnique();
		String name = this.properties.dataSource();
		if (StringUtils.hasText(name)) {
			DataSource named = named(name);
			if (named == application) {
				warnOfSharing("leasehold.jdbc.data-source names the application's own DataSource '%s'".formatted(name));
			}
			return JdbcConnections.of(named);
		}
		HikariDataSource pool = (application != null)
				? DataSourceUnwrapper.unwrap(application, HikariConfigMXBean.class, HikariDataSource.class) : null;
		JdbcConnectionDetails details = this.beans.getBeanProvider(JdbcConnectionDetails.class).getIfUnique();
		if (details != null) {
			return open(details.getJdbcUrl(), details.getDriverClassName(), login(details, pool));
		}
		if (application == null) {
			throw new LockEngineConfigurationException(
					"There are several DataSource beans, and none of them is primary: the one for locks is unknown.",
					"Set leasehold.jdbc.data-source to the name of one that nothing else uses.");
		}
		if (pool != null && pool.getJdbcUrl() != null) {
			return open(pool.getJdbcUrl(), pool.getDriverClassName(), () -> login(pool));
		}
		warnOfSharing("The application's DataSource does not expose its URL");
		return JdbcConnections.of(application);
	}

	/**
	 * Return the data source of the application's transactions, or {@code null} if the
	 * locks are in another database.
	 */
	@Nullable DataSource ofTransactions() {
		DataSource application = this.beans.getBeanProvider(DataSource.class).getIfUnique();
		String name = this.properties.dataSource();
		return (!StringUtils.hasText(name) || named(name) == application) ? application : null;
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

	private JdbcConnections open(String url, @Nullable String driver, Supplier<JdbcLogin> login) {
		try {
			return JdbcConnections.open(url, driver, login, this.properties.poolSize(), this.properties.callTimeout());
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
	private static Supplier<JdbcLogin> login(JdbcConnectionDetails details, @Nullable HikariDataSource pool) {
		JdbcLogin first = login(details);
		return () -> {
			JdbcLogin present = login(details);
			if (pool != null && present.equals(first) && details.getJdbcUrl().equals(pool.getJdbcUrl())) {
				return login(pool);
			}
			return present;
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
