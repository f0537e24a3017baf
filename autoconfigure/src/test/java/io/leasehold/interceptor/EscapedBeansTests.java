package io.leasehold.interceptor;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.stream.Stream;

import io.leasehold.HeldLock;
import io.leasehold.annotation.DistributedLock;
import io.leasehold.autoconfigure.LeaseholdAutoConfiguration;
import io.leasehold.autoconfigure.LeaseholdLocalAutoConfiguration;
import io.leasehold.test.contract.Fault;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.EnableAspectJAutoProxy;
import org.springframework.context.event.EventListener;
import org.springframework.core.PriorityOrdered;
import org.springframework.integration.annotation.ServiceActivator;
import org.springframework.integration.config.EnableIntegration;
import org.springframework.messaging.handler.annotation.MessageMapping;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Beans that Spring or the application calls without their proxy: a table of the ways to
 * get there. None of them runs its annotated method without its lock unnoticed.
 */
@Fault(169)
class EscapedBeansTests {

	@ParameterizedTest
	@EnumSource
	void beanThatEscapedItsProxyFailsStartup(Way way) {
		try (Contexts contexts = new Contexts()) {
			Locked.refusal(catchThrowable(() -> way.start(contexts))).hasMessageContaining("without its lock");
		}
	}

	@ParameterizedTest
	@MethodSource("harmless")
	void beanWithItsProxyIsLocked(Class<? extends Body> bean, Class<?>[] configuration) {
		try (Contexts contexts = new Contexts()) {
			AnnotationConfigApplicationContext context = contexts.create(null, true, configuration);
			contexts.refresh(context);
			assertThat(context.getBean(bean).isLocked()).isTrue();
		}
	}

	static Stream<Object[]> harmless() {
		return Stream.of(new Object[] { Listener.class, new Class<?>[] { Listener.class, Friend.class } },
				new Object[] { Factory.class, new Class<?>[] { FactoryConfiguration.class } },
				new Object[] { Nightly.class, new Class<?>[] { Nightly.class, Scheduling.class } },
				new Object[] { Product.class, new Class<?>[] { ProductConfiguration.class } },
				new Object[] { Product.class,
						new Class<?>[] { CircularProducts.class, ProductsFriend.class, Scheduling.class } });
	}

	/** Such as a client of a service that is down. */
	@Test
	void productThatNobodyNeedsIsNotCreated() {
		try (Contexts contexts = new Contexts()) {
			AnnotationConfigApplicationContext context = contexts.create(null, true, UnavailableProducts.class);
			contexts.refresh(context);
			assertThat(context.isRunning()).isTrue();
		}
	}

	@Test
	void childWithProxiesUsesTheAdviceOfItsParent() {
		try (Contexts contexts = new Contexts()) {
			AnnotationConfigApplicationContext parent = contexts.create(null, true);
			contexts.refresh(parent);
			AnnotationConfigApplicationContext child = contexts.create(parent, false, Plain.class, Proxies.class);
			contexts.refresh(child);
			assertThat(child.getBean(Plain.class).isLocked()).isTrue();
		}
	}

	/** How a bean escapes. */
	enum Way {

		REGISTERED_AS_OBJECT {

			@Override
			void start(Contexts contexts) {
				AnnotationConfigApplicationContext context = contexts.create(null, true);
				context.getBeanFactory().registerSingleton("plain", new Plain());
				contexts.refresh(context);
			}

		},

		FACTORY_MADE_TOO_EARLY(FactoryConfiguration.class, EarlyConfiguration.class),

		PRODUCT_MADE_TOO_EARLY(ProductConfiguration.class, EarlyProductConfiguration.class),

		SCHEDULED_IN_A_CIRCLE(Nightly.class, NightlyFriend.class, Scheduling.class),

		MESSAGES_IN_A_CIRCLE(Consumer.class, ConsumerFriend.class),

		INTEGRATION_IN_A_CIRCLE(Activator.class, ActivatorFriend.class, Integration.class),

		COMPOSED_INTEGRATION_IN_A_CIRCLE(ComposedActivator.class, ComposedActivatorFriend.class, Integration.class),

		CHILD_WITHOUT_PROXIES {

			@Override
			void start(Contexts contexts) {
				startChild(contexts, Plain.class);
			}

		},

		PRODUCT_OF_A_CHILD {

			@Override
			void start(Contexts contexts) {
				startChild(contexts, ProductConfiguration.class);
			}

		},

		GRANDPARENT_WITHOUT_PROXIES {

			@Override
			void start(Contexts contexts) {
				startGrandchild(contexts, Plain.class);
			}

		},

		PRODUCT_OF_A_GRANDPARENT {

			@Override
			void start(Contexts contexts) {
				startGrandchild(contexts, ProductConfiguration.class);
			}

		};

		private final Class<?>[] configuration;

		Way(Class<?>... configuration) {
			this.configuration = configuration;
		}

		void start(Contexts contexts) {
			contexts.refresh(contexts.create(null, true, this.configuration));
		}

		private static void startChild(Contexts contexts, Class<?> configuration) {
			AnnotationConfigApplicationContext parent = contexts.create(null, true);
			contexts.refresh(parent);
			contexts.refresh(contexts.create(parent, false, configuration));
		}

		private static void startGrandchild(Contexts contexts, Class<?> configuration) {
			AnnotationConfigApplicationContext root = contexts.create(null, false, configuration);
			contexts.refresh(root);
			AnnotationConfigApplicationContext parent = contexts.create(root, false);
			contexts.refresh(parent);
			contexts.refresh(contexts.create(parent, true));
		}

	}

	/** Contexts that end with a test, children first. */
	private static final class Contexts implements AutoCloseable {

		private final Deque<AnnotationConfigApplicationContext> open = new ArrayDeque<>();

		AnnotationConfigApplicationContext create(@Nullable AnnotationConfigApplicationContext parent, boolean locks,
				Class<?>... configuration) {
			AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
			context.setParent(parent);
			context.setAllowCircularReferences(true);
			TestPropertyValues.of("leasehold.engine=local", "leasehold.wait-time=0s").applyTo(context);
			Arrays.stream(configuration).forEach(context::register);
			if (locks) {
				context.register(Proxies.class, LeaseholdLocalAutoConfiguration.class,
						LeaseholdAutoConfiguration.class);
			}
			return context;
		}

		void refresh(AnnotationConfigApplicationContext context) {
			this.open.push(context);
			context.refresh();
		}

		@Override
		public void close() {
			this.open.forEach(AnnotationConfigApplicationContext::close);
		}

	}

	interface Body {

		boolean isLocked();

	}

	private static boolean locked() {
		try {
			return HeldLock.current().isValid();
		}
		catch (IllegalStateException ex) {
			return false;
		}
	}

	static class Plain implements Body {

		@Override
		@DistributedLock(key = "'body'")
		public boolean isLocked() {
			return locked();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAspectJAutoProxy(proxyTargetClass = true)
	static class Proxies {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableScheduling
	static class Scheduling {

	}

	@Configuration(proxyBeanMethods = false)
	static class FactoryConfiguration {

		@Bean
		static Factory factory() {
			return new Factory();
		}

	}

	static class Factory implements FactoryBean<Plain>, Body {

		@Override
		public Plain getObject() {
			return new Plain();
		}

		@Override
		public Class<?> getObjectType() {
			return Plain.class;
		}

		@Override
		@DistributedLock(key = "'factory'")
		public boolean isLocked() {
			return locked();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class EarlyConfiguration {

		@Bean
		static EarlyUse earlyUse(Factory factory) {
			return new EarlyUse(factory);
		}

	}

	/** Needs a bean before the creator of proxies is registered. */
	record EarlyUse(Object bean) implements BeanPostProcessor, PriorityOrdered {

		@Override
		public int getOrder() {
			return HIGHEST_PRECEDENCE;
		}

	}

	static class Product extends Plain {

		@Override
		@Scheduled(cron = "0 0 3 * * *")
		public boolean isLocked() {
			return super.isLocked();
		}

	}

	static class Products implements FactoryBean<Product> {

		@Override
		public Product getObject() {
			return new Product();
		}

		@Override
		public Class<?> getObjectType() {
			return Product.class;
		}

	}

	static class UnavailableProducts extends Products {

		@Override
		public Product getObject() {
			throw new IllegalStateException("unavailable");
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ProductConfiguration {

		@Bean
		static Products products() {
			return new Products();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class EarlyProductConfiguration {

		@Bean
		static EarlyUse earlyUse(Product product) {
			return new EarlyUse(product);
		}

	}

	/** The circle contains the factory, not its product. */
	static class CircularProducts extends Products {

		@Autowired
		@Nullable ProductsFriend friend;

	}

	record ProductsFriend(CircularProducts products) {

	}

	static class Nightly extends Plain {

		@Autowired(required = false)
		@Nullable NightlyFriend friend;

		@Override
		@Scheduled(cron = "0 0 3 * * *")
		public boolean isLocked() {
			return super.isLocked();
		}

	}

	record NightlyFriend(Nightly nightly) {

	}

	@MessageMapping
	@Retention(RetentionPolicy.RUNTIME)
	@interface LikeKafkaListener {

	}

	static class Consumer extends Plain {

		@Autowired
		@Nullable ConsumerFriend friend;

		@Override
		@LikeKafkaListener
		public boolean isLocked() {
			return super.isLocked();
		}

	}

	record ConsumerFriend(Consumer consumer) {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableIntegration
	static class Integration {

	}

	static class Activator extends Plain {

		@Autowired
		@Nullable ActivatorFriend friend;

		@Override
		@ServiceActivator(inputChannel = "orders")
		public boolean isLocked() {
			return super.isLocked();
		}

	}

	record ActivatorFriend(Activator activator) {

	}

	@ServiceActivator(inputChannel = "orders")
	@Retention(RetentionPolicy.RUNTIME)
	@interface Orders {

	}

	static class ComposedActivator extends Plain {

		@Autowired
		@Nullable ComposedActivatorFriend friend;

		@Override
		@Orders
		public boolean isLocked() {
			return super.isLocked();
		}

	}

	record ComposedActivatorFriend(ComposedActivator activator) {

	}

	/** Spring finds the bean of a listener by its name. */
	static class Listener extends Plain {

		@Autowired
		@Nullable Friend friend;

		@EventListener(String.class)
		@DistributedLock(key = "'listener'")
		public void on() {
		}

	}

	record Friend(Listener listener) {

	}

}
