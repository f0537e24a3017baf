package io.leasehold.benchmark.advice;

import io.leasehold.DistributedLocks;
import io.leasehold.LockOptions;
import io.leasehold.autoconfigure.LeaseholdAutoConfiguration;
import io.leasehold.autoconfigure.LeaseholdLocalAutoConfiguration;
import io.leasehold.autoconfigure.actuate.LeaseholdMetricsAutoConfiguration;
import org.aopalliance.intercept.MethodInterceptor;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

import org.springframework.aop.Advisor;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.annotation.AnnotationMatchingPointcut;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;

/**
 * An application on the local engine with default settings, and one caller of it. Ids are
 * boxed and written beforehand, so that only keys are made by a call.
 */
@State(Scope.Thread)
public class Application {

	private static final int IDS = 1024;

	private final Long[] ids = new Long[IDS];

	private final String[] texts = new String[IDS];

	private final Order[] orders = new Order[IDS];

	private final OrderService bare = new OrderService();

	private ConfigurableApplicationContext context;

	private OrderService service;

	private DistributedLocks locks;

	private LockOptions options;

	private int next;

	/** Start the application. */
	@Setup(Level.Trial)
	public void start() {
		this.context = new SpringApplicationBuilder(configuration()).web(WebApplicationType.NONE)
			.logStartupInfo(false)
			.properties("leasehold.engine=local", "spring.main.banner-mode=off")
			.run();
		this.service = this.context.getBean(OrderService.class);
		this.locks = this.context.getBean(DistributedLocks.class);
		this.options = this.locks.defaults();
		for (int i = 0; i < IDS; i++) {
			this.ids[i] = 100_000L + i;
			this.texts[i] = Long.toString(100_000L + i);
			this.orders[i] = new Order(this.texts[i]);
		}
	}

	Class<?> configuration() {
		return Configuration.class;
	}

	/** Stop the application. */
	@TearDown(Level.Trial)
	public void stop() {
		this.context.close();
	}

	OrderService bare() {
		return this.bare;
	}

	OrderService service() {
		return this.service;
	}

	DistributedLocks locks() {
		return this.locks;
	}

	LockOptions options() {
		return this.options;
	}

	Long nextId() {
		return this.ids[index()];
	}

	String nextText() {
		return this.texts[index()];
	}

	Order nextOrder() {
		return this.orders[index()];
	}

	private int index() {
		this.next = (this.next + 1) & (IDS - 1);
		return this.next;
	}

	/** The beans of the application. */
	@ImportAutoConfiguration({ LeaseholdAutoConfiguration.class, LeaseholdLocalAutoConfiguration.class,
			LeaseholdMetricsAutoConfiguration.class })
	static class Configuration {

		@Bean
		OrderService orderService() {
			return new OrderService();
		}

		@Bean
		Advisor proxied() {
			MethodInterceptor nothing = (invocation) -> invocation.proceed();
			return new DefaultPointcutAdvisor(AnnotationMatchingPointcut.forMethodAnnotation(Proxied.class), nothing);
		}

	}

}
