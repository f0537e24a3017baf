package io.leasehold.benchmark.contender;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;

import com.zaxxer.hikari.HikariDataSource;
import net.javacrumbs.shedlock.provider.jdbctemplate.JdbcTemplateLockProvider;
import net.javacrumbs.shedlock.provider.jdbctemplate.JdbcTemplateLockProvider.Configuration;

import org.springframework.integration.jdbc.lock.DefaultLockRepository;
import org.springframework.integration.jdbc.lock.JdbcLockRegistry;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;

/**
 * Those who lock in a database, by name, each made from its URL.
 */
final class JdbcContenders {

	/** As many connections for each, else some would queue for them and others not. */
	private static final int CONNECTIONS = 10;

	private JdbcContenders() {
	}

	/**
	 * Return all of them.
	 * @param upsert how the bare calls take a row
	 */
	static Map<String, Function<String, Contender>> all(String upsert) {
		Map<String, Function<String, Contender>> all = new LinkedHashMap<>();
		all.put(Contenders.BARE, (url) -> bare(url, upsert));
		all.put(Contenders.QUEUE, (url) -> new LocalQueue(bare(url, upsert)));
		all.put(Contenders.LEASEHOLD, (url) -> leasehold(url, "0s"));
		all.put("spring-integration", JdbcContenders::registry);
		all.put("shedlock", JdbcContenders::shedLock);
		return all;
	}

	/** Return all of them for PostgreSQL, where locks can linger. */
	static Map<String, Function<String, Contender>> ofPostgres() {
		Map<String, Function<String, Contender>> all = all(BareJdbc.POSTGRESQL);
		all.put("leasehold-linger", (url) -> leasehold(url, "30s"));
		return all;
	}

	private static Contender leasehold(String url, String linger) {
		// The contenders of a run would recall locks from each other
		String namespace = "linger-" + linger;
		return new LeaseholdContender(Map.of("leasehold.engine", "jdbc", "leasehold.jdbc.pool-size", CONNECTIONS,
				"spring.datasource.url", url, "leasehold.namespace", namespace, "leasehold.linger", linger));
	}

	/**
	 * The drivers of MySQL and MariaDB count a row as changed that was only found, unless
	 * an option changes that.
	 */
	private static BareJdbc bare(String url, String upsert) {
		HikariDataSource pool = pool(url);
		pool.addDataSourceProperty("useAffectedRows", "true");
		return new BareJdbc(pool, upsert);
	}

	private static Contender registry(String url) {
		HikariDataSource pool = pool(url);
		DefaultLockRepository repository = new DefaultLockRepository(pool);
		repository.setTransactionManager(new JdbcTransactionManager(pool));
		repository.afterPropertiesSet();
		repository.afterSingletonsInstantiated();
		repository.start();
		return new RegistryContender(new JdbcLockRegistry(repository, Leases.LEASE), () -> {
			repository.stop();
			pool.close();
		});
	}

	private static Contender shedLock(String url) {
		HikariDataSource pool = pool(url);
		return new ShedLockContender(
				new JdbcTemplateLockProvider(
						Configuration.builder().withJdbcTemplate(new JdbcTemplate(pool)).usingDbTime().build()),
				pool::close);
	}

	private static HikariDataSource pool(String url) {
		HikariDataSource pool = new HikariDataSource();
		pool.setJdbcUrl(url);
		pool.setMaximumPoolSize(CONNECTIONS);
		return pool;
	}

}
