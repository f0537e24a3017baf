package io.leasehold.autoconfigure;

import io.leasehold.FencingGuard;
import io.leasehold.LockScope;
import io.leasehold.interceptor.BodyThreads;
import io.leasehold.interceptor.LockAdvisor;
import io.leasehold.interceptor.LockAnnotationValidator;
import io.leasehold.interceptor.LockInterceptor;
import io.leasehold.interceptor.LockOperationSource;
import io.leasehold.interceptor.TransactionGuards;
import io.leasehold.key.KeyParser;
import io.leasehold.leadership.Leaderships;
import io.leasehold.reactive.ReactiveFencingGuard;
import io.leasehold.reactive.ReactiveTransactions;
import io.leasehold.service.LockService;

import org.springframework.aop.config.AopConfigUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.beans.factory.config.EmbeddedValueResolver;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.context.annotation.Role;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.util.function.SingletonSupplier;

/**
 * Advice around annotated methods. Its beans are created with the first proxies of the
 * application, so they look up the service only when a lock is acquired.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnSwitch(value = "leasehold.enabled", matchIfMissing = true)
@Import(LockAdviceConfiguration.AutoProxyRegistrar.class)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
class LockAdviceConfiguration {

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static LockOperationSource leaseholdLockOperationSource(ObjectProvider<LockService> service,
			ObjectProvider<FencingGuard> fencing, ObjectProvider<ReactiveFencingGuard> reactiveFencing,
			ObjectProvider<ReactiveTransactions> transactions, ObjectProvider<Leaderships> leaderships,
			ConfigurableBeanFactory beanFactory, Environment environment) {
		return new LockOperationSource(service::getObject, new KeyParser(beanFactory),
				new EmbeddedValueResolver(beanFactory),
				new TransactionGuards(fencing::getIfUnique, reactiveFencing::getIfUnique, transactions::getIfAvailable),
				properties(environment).whenUnavailable(), leaderships::getIfAvailable);
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static LockInterceptor leaseholdLockInterceptor(LockOperationSource operations, ObjectProvider<LockService> service,
			BodyThreads threads, Environment environment) {
		return new LockInterceptor(operations, SingletonSupplier.of(service::getObject), threads,
				properties(environment).reactive().onCancel());
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static LockAdvisor leaseholdLockAdvisor(LockOperationSource operations, LockInterceptor interceptor,
			Environment environment) {
		return new LockAdvisor(operations, interceptor, LockScope.METHOD, properties(environment).order());
	}

	/**
	 * Advises inside the transaction's advisor, because of its order, or because that was
	 * registered before if its order is the same.
	 */
	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static LockAdvisor leaseholdTransactionLockAdvisor(LockOperationSource operations, LockInterceptor interceptor) {
		return new LockAdvisor(operations, interceptor, LockScope.TRANSACTION, Ordered.LOWEST_PRECEDENCE);
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static LockAnnotationValidator leaseholdLockAnnotationValidator(LockOperationSource operations,
			Environment environment) {
		return new LockAnnotationValidator(operations, properties(environment).order());
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static BodyThreads leaseholdBodyThreads(BeanFactory beans, Environment environment) {
		LeaseholdProperties.Async properties = properties(environment).async();
		BodyExecutors.check(properties, beans);
		return new BodyThreads(() -> BodyExecutors.find(properties, beans, environment), properties.maxThreads());
	}

	/** Bind the properties, because their bean would be created too early. */
	private static LeaseholdProperties properties(Environment environment) {
		return Binder.get(environment).bindOrCreate("leasehold", LeaseholdProperties.class);
	}

	/** Required without AspectJ, or if spring.aop.auto is disabled. */
	static class AutoProxyRegistrar implements ImportBeanDefinitionRegistrar {

		@Override
		public void registerBeanDefinitions(AnnotationMetadata metadata, BeanDefinitionRegistry registry) {
			AopConfigUtils.registerAutoProxyCreatorIfNecessary(registry);
		}

	}

}
