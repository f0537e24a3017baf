package io.leasehold.interceptor;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.SpringProxy;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.config.SmartInstantiationAwareBeanPostProcessor;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.scheduling.config.TaskManagementConfigUtils;
import org.springframework.util.ClassUtils;

/**
 * Startup check of all annotated methods by the type of each bean, also lazy, scoped and
 * prototype beans. A class that its type hides is checked when the bean is created. Beans
 * of parent and child contexts, which may have no check, must have proxies. It is never
 * proxied: the search for its advice would create all advisors too early.
 */
public final class LockAnnotationValidator
		implements SmartInstantiationAwareBeanPostProcessor, SmartInitializingSingleton,
		ApplicationListener<ContextRefreshedEvent>, BeanFactoryAware, AopInfrastructureBean {

	private static final Log logger = LogFactory.getLog(LockAnnotationValidator.class);

	/** Bean of tests that replace beans by mocks, which have no proxies. */
	private static final String REPLACED_BEANS = "org.springframework.test.context.bean.override.internalBeanOverrideRegistry";

	private final LockOperationSource operations;

	private final LockedMethods methods;

	private final int order;

	private final StartupWarnings warnings = new StartupWarnings();

	private final Set<Class<?>> seen = ConcurrentHashMap.newKeySet();

	/** Factories whose products are checked when they are created. */
	private final Set<String> factories = ConcurrentHashMap.newKeySet();

	/** Beans that other beans of a circle refer to, whose proxies are created before. */
	private final Set<String> early = ConcurrentHashMap.newKeySet();

	private @Nullable ConfigurableListableBeanFactory beans;

	private volatile @Nullable TransactionOrder transactions;

	public LockAnnotationValidator(LockOperationSource operations, int order) {
		this.operations = operations;
		this.methods = operations.methods();
		this.order = order;
	}

	@Override
	public void setBeanFactory(BeanFactory beanFactory) {
		this.beans = (ConfigurableListableBeanFactory) beanFactory;
	}

	/** Reject methods that no kind of proxy can lock, before a proxy is created. */
	@Override
	public Object postProcessBeforeInitialization(Object bean, String beanName) {
		if (bean instanceof FactoryBean<?>) {
			this.factories.add(beanName);
		}
		this.methods.of(bean.getClass()).values().forEach(MethodChecks::check);
		return bean;
	}

	@Override
	public Object getEarlyBeanReference(Object bean, String beanName) {
		this.early.add(nameOf(bean, beanName));
		return bean;
	}

	/** Return a name that differs from that of a factory's product. */
	private static String nameOf(Object bean, String name) {
		return (bean instanceof FactoryBean<?>) ? BeanFactory.FACTORY_BEAN_PREFIX + name : name;
	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		Class<?> type = typeOf(bean);
		Map<Method, LockAnnotation> locked = this.methods.of(type);
		if (!locked.isEmpty()) {
			if (this.early.contains(nameOf(bean, beanName))) {
				ProxyChecks.checkEarly(beanName, locked.values());
			}
			else if (this.beans != null) {
				checkAdvice(this.beans, bean, beanName);
			}
			if (bean instanceof Advised) {
				ProxyChecks.check(bean, locked.values());
			}
			TransactionOrder order = this.transactions;
			if (order != null) {
				order.checkProxy(bean, locked);
			}
			if (this.seen.add(ClassUtils.getUserClass(type)) && order != null) {
				check(type, order);
			}
		}
		return bean;
	}

	@Override
	public void afterSingletonsInstantiated() {
		ConfigurableListableBeanFactory factory = this.beans;
		if (factory == null) {
			return;
		}
		TransactionOrder order = TransactionOrder.of(factory, this.order);
		this.transactions = order;
		forEachBean(factory, (name) -> note(factory, name, checkedType(factory, name, order)));
		this.seen.forEach((type) -> check(type, order));
		BeanFactory parent = factory.getParentBeanFactory();
		while (parent instanceof ConfigurableListableBeanFactory ancestor) {
			checkProxies(ancestor);
			parent = ancestor.getParentBeanFactory();
		}
	}

	/** Check a child of the context. */
	@Override
	public void onApplicationEvent(ContextRefreshedEvent event) {
		if (event.getApplicationContext()
			.getAutowireCapableBeanFactory() instanceof ConfigurableListableBeanFactory child) {
			checkProxies(child);
		}
	}

	private void checkProxies(ConfigurableListableBeanFactory factory) {
		forEachBean(factory, (name) -> singletons(factory, name).forEach((bean) -> checkAdvice(factory, bean, name)));
	}

	/**
	 * Return a singleton that exists. If it is the factory of an annotated object, and
	 * was created before the proxies or elsewhere, return this object as well. The
	 * products of other factories are checked when they are created.
	 */
	private List<Object> singletons(ConfigurableListableBeanFactory factory, String name) {
		Object bean = factory.getSingleton(name);
		if (bean == null) {
			return List.of();
		}
		boolean seen = factory == this.beans && this.factories.contains(name);
		Class<?> product = (bean instanceof FactoryBean<?> && !seen && factory.isSingleton(name))
				? factory.getType(name, false) : null;
		return (product != null && this.methods.areIn(product) && !factory.containsBean(REPLACED_BEANS))
				? List.of(bean, factory.getBean(name)) : List.of(bean);
	}

	/** Visit the beans, also those that were registered as objects. */
	private static void forEachBean(ConfigurableListableBeanFactory factory, Consumer<String> check) {
		for (Iterator<String> names = factory.getBeanNamesIterator(); names.hasNext();) {
			String name = names.next();
			try {
				check.accept(name);
			}
			catch (RuntimeException | LinkageError ex) {
				if (!LockedMethods.lacksType(ex)) {
					throw ex;
				}
				logger.debug("The class of bean '%s' cannot be checked before the bean is created".formatted(name), ex);
			}
		}
	}

	/** Note the annotated class of a bean, and the methods that Spring calls there. */
	private void note(ConfigurableListableBeanFactory factory, String name, @Nullable Class<?> type) {
		// The class behind a proxy was seen when the proxy was created
		if (type != null && !SpringProxy.class.isAssignableFrom(type) && !type.isInterface()
				&& !Modifier.isAbstract(type.getModifiers()) && this.methods.areIn(type)) {
			this.seen.add(ClassUtils.getUserClass(type));
			if (factory.containsBeanDefinition(name)
					&& factory.getMergedBeanDefinition(name) instanceof AbstractBeanDefinition definition) {
				this.warnings.lifecycleOf(ClassUtils.getUserClass(type), definition);
			}
		}
	}

	private void check(Class<?> type, TransactionOrder order) {
		Map<Method, LockAnnotation> locked = this.methods.of(type);
		locked.forEach((method, annotation) -> {
			LockOperation operation = this.operations.find(method, type);
			order.check(method, annotation);
			if (this.beans != null
					&& this.beans.containsBean(TaskManagementConfigUtils.ASYNC_EXECUTION_ASPECT_BEAN_NAME)) {
				MethodChecks.checkNotWoven(annotation);
			}
			if (operation != null) {
				this.warnings.warnOfBareKeys(annotation, operation);
			}
		});
		if (!locked.isEmpty()) {
			this.warnings.warnOfUnguardedCalls(type, locked);
		}
	}

	/**
	 * Return the class of a bean. A bean created before the proxies, such as for a
	 * post-processor, is rejected.
	 */
	private @Nullable Class<?> checkedType(ConfigurableListableBeanFactory factory, String name,
			TransactionOrder order) {
		List<Object> singletons = singletons(factory, name);
		for (Object bean : singletons) {
			checkAdvice(factory, bean, name);
			order.checkProxy(bean, this.methods.of(typeOf(bean)));
		}
		return (singletons.isEmpty() || singletons.get(0) instanceof FactoryBean<?>) ? factory.getType(name, false)
				: typeOf(singletons.get(0));
	}

	/** Return the class of a bean. A factory may be configured like a proxy. */
	private static Class<?> typeOf(Object bean) {
		return (bean instanceof FactoryBean<?> && !AopUtils.isAopProxy(bean)) ? bean.getClass()
				: AopUtils.getTargetClass(bean);
	}

	private void checkAdvice(ConfigurableListableBeanFactory factory, Object bean, String name) {
		Iterator<LockAnnotation> locked = this.methods.of(typeOf(bean)).values().iterator();
		if (!locked.hasNext() || factory.containsBean(REPLACED_BEANS) || ProxyChecks.hasAdvice(bean)) {
			return;
		}
		String action = AopUtils.isJdkDynamicProxy(bean)
				? "The bean is a JDK proxy that hides the annotated class. Annotate the interface, or let the @Bean method or FactoryBean return the object itself."
				: "It was created too early, perhaps for a BeanPostProcessor that needs it (inject an ObjectProvider there and make its @Bean method static), it was registered as an object (register its class), it belongs to a context without auto-configuration, or it is an aspect, which has no proxy.";
		throw locked.next().invalid("runs without its lock: bean '%s' has no proxy for it".formatted(name), action);
	}

}
