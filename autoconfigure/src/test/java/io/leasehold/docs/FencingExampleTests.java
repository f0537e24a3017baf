package io.leasehold.docs;

import java.nio.file.Path;
import java.util.List;

import javax.sql.DataSource;

import io.leasehold.HeldLock;
import io.leasehold.DistributedLocks;
import io.leasehold.autoconfigure.LeaseholdAutoConfiguration;
import io.leasehold.autoconfigure.LeaseholdLocalAutoConfiguration;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseBuilder;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseType;
import org.springframework.stereotype.Service;
import org.springframework.test.util.ReflectionTestUtils;
import org.springframework.transaction.annotation.EnableTransactionManagement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * The example of fencing in one's own SQL does what the manual says.
 */
class FencingExampleTests {

	private static final Page PAGE = Manual.page("docs/transactions.md");

	@TempDir
	static Path classes;

	private static Class<?> service;

	@BeforeAll
	static void compile() {
		JavaExamples examples = new JavaExamples(List.of(PAGE));
		assertThat(examples.compile(classes)).isEmpty();
		service = examples.load(classes, "StockService");
	}

	@Test
	void ownerSellsAndLeavesItsToken() {
		runner().run((context) -> {
			Object stock = stockService(context);
			JdbcClient jdbc = context.getBean(JdbcClient.class);
			assertThat(sell(stock)).isTrue();
			long first = number(jdbc, "fence");
			assertThat(sell(stock)).isTrue();
			assertThat(number(jdbc, "fence")).isGreaterThan(first);
			assertThat(number(jdbc, "left_over")).isZero();
			assertThat(sell(stock)).isFalse();
		});
	}

	@Test
	void formerOwnerChangesNothing() {
		runner().run((context) -> {
			JdbcClient jdbc = context.getBean(JdbcClient.class);
			Object stock = stockService(context);
			long later = tokenAfter(context.getBean(DistributedLocks.class)) + (1L << 40);
			jdbc.sql("UPDATE stock SET fence = ?").param(later).update();
			assertThatIllegalStateException().isThrownBy(() -> sell(stock)).withMessageContaining("later owner");
			assertThat(number(jdbc, "left_over")).isEqualTo(2);
			assertThat(number(jdbc, "fence")).isEqualTo(later);
		});
	}

	private static ApplicationContextRunner runner() {
		return new ApplicationContextRunner()
			.withConfiguration(
					AutoConfigurations.of(LeaseholdAutoConfiguration.class, LeaseholdLocalAutoConfiguration.class))
			.withClassLoader(service.getClassLoader())
			.withPropertyValues("leasehold.engine=local")
			.withUserConfiguration(Database.class, service)
			.withInitializer((context) -> context.getBeanFactory()
				.registerSingleton("schema", PAGE.blocks("sql").get(0).text()));
	}

	private static Object stockService(ApplicationContext context) {
		return context.getBeansWithAnnotation(Service.class).values().iterator().next();
	}

	private static boolean sell(Object stock) {
		return Boolean.TRUE.equals(ReflectionTestUtils.invokeMethod(stock, "sell", 1L));
	}

	private static long tokenAfter(DistributedLocks locks) {
		try (HeldLock lock = locks.acquire("stock:1")) {
			return lock.fencingToken();
		}
	}

	private static long number(JdbcClient jdbc, String column) {
		return jdbc.sql("SELECT " + column + " FROM stock").query(Long.class).single();
	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement
	static class Database {

		@Bean
		DataSource dataSource() {
			return new EmbeddedDatabaseBuilder().generateUniqueName(true).setType(EmbeddedDatabaseType.H2).build();
		}

		@Bean
		DataSourceTransactionManager transactionManager(DataSource dataSource) {
			return new DataSourceTransactionManager(dataSource);
		}

		@Bean
		JdbcClient jdbcClient(DataSource dataSource, String schema) {
			JdbcClient client = JdbcClient.create(dataSource);
			client.sql(schema).update();
			client.sql("INSERT INTO stock (id, left_over) VALUES (1, 2)").update();
			return client;
		}

	}

}
