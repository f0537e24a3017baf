package io.leasehold.transaction;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.leasehold.autoconfigure.LeaseholdAutoConfiguration;
import io.leasehold.autoconfigure.jdbc.LeaseholdJdbcAutoConfiguration;
import io.leasehold.event.LockEvent;
import io.leasehold.event.LockEventListener;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.annotation.Configurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.boot.transaction.autoconfigure.TransactionManagerCustomizationAutoConfiguration;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Application whose locks are part of its transactions.
 */
final class ScopedApplication implements AutoCloseable {

	private final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();

	/**
	 * Start an application.
	 * @param url URL of its database
	 * @param namespace namespace of its locks
	 * @param beans further beans
	 */
	ScopedApplication(String url, String namespace, List<Class<?>> beans) {
		this.context.register(Shop.class);
		beans.forEach(this.context::register);
		this.context.register(Configurations
			.getClasses(AutoConfigurations.of(LeaseholdAutoConfiguration.class, LeaseholdJdbcAutoConfiguration.class,
					DataSourceAutoConfiguration.class, JdbcTemplateAutoConfiguration.class,
					TransactionAutoConfiguration.class, TransactionManagerCustomizationAutoConfiguration.class,
					DataSourceTransactionManagerAutoConfiguration.class)));
		TestPropertyValues
			.of("spring.datasource.url=" + url, "leasehold.engine=jdbc", "leasehold.jdbc.initialize-schema=always",
					"leasehold.namespace=" + namespace)
			.applyTo(this.context);
		this.context.refresh();
	}

	<T> T bean(Class<T> type) {
		return this.context.getBean(type);
	}

	TransactionTemplate transaction(int isolation) {
		TransactionTemplate template = new TransactionTemplate(bean(PlatformTransactionManager.class));
		template.setIsolationLevel(isolation);
		return template;
	}

	@Override
	public void close() {
		this.context.close();
	}

	@Configuration(proxyBeanMethods = false)
	static class Shop {

		@Bean
		ScopedShop shop(JdbcTemplate jdbc) {
			return new ScopedShop(jdbc);
		}

		@Bean
		RecordedEvents recordedEvents() {
			return new RecordedEvents();
		}

	}

	static final class RecordedEvents implements LockEventListener {

		final List<LockEvent> all = new CopyOnWriteArrayList<>();

		@Override
		public void onEvent(LockEvent event) {
			this.all.add(event);
		}

		<T extends LockEvent> List<T> of(Class<T> type) {
			return this.all.stream().filter(type::isInstance).map(type::cast).toList();
		}

		List<LockEvent.AcquireEnded> ends(String name) {
			return of(LockEvent.AcquireEnded.class).stream().filter((end) -> end.name().equals(name)).toList();
		}

	}

}
