package io.leasehold.autoconfigure;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariConfigMXBean;
import com.zaxxer.hikari.HikariDataSource;
import io.leasehold.engine.jdbc.JdbcConnections;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.boot.jdbc.DataSourceUnwrapper;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.util.StringUtils;

/**
 * Finds the database of an application's locks: a data source that is named, or else the
 * application's own database, by other connections than the application's.
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
		String name = this.properties.getDataSource();
		if (StringUtils.hasText(name)) {
			DataSource named = named(name);
			if (named == application) {
				warnOfSharing("leasehold.jdbc.data-source names the application's own DataSource '%s'".formatted(name));
			}
			return JdbcConnections.of(named);
		}
		JdbcConnectionDetails details = this.beans.getBeanProvider(JdbcConnectionDetails.class).getIfUnique();
		if (details != null) {
			return open(details.getJdbcUrl(), details.getDriverClassName(), details.getUsername(),
					details.getPassword());
		}
		if (application == null) {
			throw new LockEngineConfigurationException(
					"There are several DataSource beans, and none of them is primary: which has the locks?",
					"Set leasehold.jdbc.data-source to the name of one that nothing else uses.");
		}
		HikariDataSource pool = DataSourceUnwrapper.unwrap(application, HikariConfigMXBean.class,
				HikariDataSource.class);
		if (pool != null && pool.getJdbcUrl() != null) {
			return open(pool.getJdbcUrl(), pool.getDriverClassName(), pool.getUsername(), pool.getPassword());
		}
		warnOfSharing("The application's DataSource does not tell its URL");
		return JdbcConnections.of(application);
	}

	private DataSource named(String name) {
		try {
			return this.beans.getBean(name, DataSource.class);
		}
		catch (NoSuchBeanDefinitionException ex) {
			throw new LockEngineConfigurationException(
					"leasehold.jdbc.data-source is '%s', but there is no bean of that name.".formatted(name),
					"Name a bean of type javax.sql.DataSource, or leave the property out.");
		}
	}

	private JdbcConnections open(String url, @Nullable String driver, @Nullable String username,
			@Nullable String password) {
		return JdbcConnections.open(url, driver, username, password, this.properties.getPoolSize(),
				this.properties.getCallTimeout());
	}

	private static void warnOfSharing(String why) {
		logger.warn("%s: locks share its connections. A pool that is empty because all threads wait for locks, or do "
			.formatted(why)
				+ "their work, delays renewals until locks are lost. Give locks a DataSource of their own by "
				+ "leasehold.jdbc.data-source, with a short connection timeout.");
	}

}
