package io.leasehold.interceptor;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Collection;

import org.jspecify.annotations.Nullable;

import org.springframework.aop.TargetSource;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;

/**
 * Check of a bean's proxy: whether it can run annotated methods under their locks.
 */
final class ProxyChecks {

	private static final String SCHEDULED = "org.springframework.scheduling.annotation.Scheduled";

	/** Composes the annotations of listeners, such as {@code @KafkaListener}. */
	private static final String MESSAGES = "org.springframework.messaging.handler.annotation.MessageMapping";

	/** Package of annotations such as {@code @ServiceActivator}. */
	private static final String INTEGRATION = "org.springframework.integration.annotation";

	private ProxyChecks() {
	}

	/**
	 * Return whether one of the proxies around a bean has the lock's advice. A proxy that
	 * cannot be inspected counts as one that has it.
	 */
	static boolean hasAdvice(Object bean) {
		Object layer = bean;
		while (layer instanceof Advised advised) {
			if (locks(advised)) {
				return true;
			}
			layer = inner(advised.getTargetSource());
		}
		return layer == null || AopUtils.isAopProxy(layer);
	}

	private static boolean locks(Advised proxy) {
		return Arrays.stream(proxy.getAdvisors()).anyMatch(LockAdvisor.class::isInstance);
	}

	/** Return whether a proxy with the lock's advice is the target of another one. */
	private static boolean lockTwice(Object bean) {
		int count = 0;
		Object layer = bean;
		while (layer instanceof Advised advised) {
			count += locks(advised) ? 1 : 0;
			layer = inner(advised.getTargetSource());
		}
		return count > 1;
	}

	private static @Nullable Object inner(TargetSource source) {
		try {
			return source.isStatic() ? source.getTarget() : null;
		}
		catch (Exception ex) {
			return null; // cannot be inspected
		}
	}

	/**
	 * Reject methods that this kind of proxy does not intercept, and permits of two
	 * proxies, which are not re-entered.
	 */
	static void check(Object proxy, Collection<LockAnnotation> locked) {
		for (LockAnnotation annotation : locked) {
			if (AopUtils.isJdkDynamicProxy(proxy)) {
				checkInterfaces(proxy, annotation);
			}
			else if (Modifier.isFinal(annotation.method().getModifiers())) {
				throw annotation.invalid("is final, so that the proxy of its class cannot run it under its lock",
						"Remove final.");
			}
			if (!annotation.values().permits().isEmpty() && lockTwice(proxy)) {
				throw annotation.invalid(
						"has permits, of which each call would take two: two auto-proxy creators made proxies of its bean",
						"Remove the second one, such as a DefaultAdvisorAutoProxyCreator that another starter adds.");
			}
		}
	}

	/**
	 * Reject methods that Spring calls on the bean itself because other beans of a circle
	 * refer to its proxy: post-processors of listeners and schedules receive the bean.
	 */
	static void checkEarly(String bean, Collection<LockAnnotation> locked) {
		for (LockAnnotation annotation : locked) {
			MergedAnnotations annotations = MergedAnnotations.from(annotation.method(), SearchStrategy.TYPE_HIERARCHY);
			if (annotations.isPresent(SCHEDULED)
					|| annotations.stream(MESSAGES).anyMatch((mapping) -> mapping.getDistance() > 0)
					|| annotations.stream().anyMatch((any) -> any.getType().getPackageName().equals(INTEGRATION))) {
				throw annotation.invalid(
						"is called by Spring without its lock: bean '%s' is part of a circle of dependencies, so that Spring schedules or registers the bean itself"
							.formatted(bean),
						"Break the circle, such as with @Lazy at one of its injection points.");
			}
		}
	}

	private static void checkInterfaces(Object proxy, LockAnnotation annotation) {
		Method method = annotation.method();
		boolean reachable = Arrays.stream(ClassUtils.getAllInterfaces(proxy))
			.flatMap((type) -> Arrays.stream(type.getMethods()))
			.filter((candidate) -> candidate.getName().equals(method.getName()))
			.anyMatch((candidate) -> AopUtils.getMostSpecificMethod(candidate, annotation.type()).equals(method));
		if (!reachable && annotation.onMethod()) {
			throw annotation.invalid(
					"is in no interface of its JDK proxy, which therefore cannot run it under its lock",
					"Declare the method in an interface of the class, or set spring.aop.proxy-target-class to true.");
		}
	}

}
