package io.leasehold.interceptor;

import java.lang.reflect.Method;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

import io.leasehold.interceptor.SelfCalls.SelfCall;
import io.leasehold.key.MethodName;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;

/**
 * Startup warnings about annotated methods that work, but perhaps not as intended.
 * Thread-safe.
 */
final class StartupWarnings {

	private static final Log logger = LogFactory.getLog(StartupWarnings.class);

	/** Methods with bare keys, by engine and declaring class. */
	private final Map<String, Map<Class<?>, String>> bareKeys = new ConcurrentHashMap<>();

	/** Attributes of bean definitions that name methods, by class and method. */
	private final Map<Class<?>, Map<String, String>> definitions = new ConcurrentHashMap<>();

	/** Note which methods of a bean Spring calls by their names. */
	void lifecycleOf(Class<?> type, AbstractBeanDefinition definition) {
		Map<String, String> attributes = this.definitions.computeIfAbsent(type, (known) -> new ConcurrentHashMap<>());
		named(definition.getInitMethodNames()).forEach((name) -> attributes.put(name, "its initMethod"));
		List<String> destroying = named(definition.getDestroyMethodNames());
		boolean inferred = destroying.contains(AbstractBeanDefinition.INFER_METHOD)
				|| destroying.isEmpty() && AutoCloseable.class.isAssignableFrom(type);
		(inferred ? List.of("close", "shutdown") : destroying)
			.forEach((name) -> attributes.put(name, "its destroyMethod"));
	}

	private static List<String> named(String @Nullable [] names) {
		return (names != null) ? List.of(names) : List.of();
	}

	/** Warn about methods that are called without the proxy of their bean. */
	void warnOfUnguardedCalls(Class<?> type, Map<Method, LockAnnotation> locked) {
		locked.forEach((method, annotation) -> {
			String caller = annotation.onMethod() ? lifecycleCaller(method, type) : null;
			if (caller != null) {
				logger.warn("%s is called by Spring on the bean itself (%s), not through the proxy: such a call runs"
					.formatted(MethodName.of(type, method), caller)
						+ " without the lock. Call it from another bean, such as an ApplicationRunner, or acquire the lock"
						+ " with DistributedLocks.call(...)");
			}
		});
		Map<Method, Set<String>> callers = new LinkedHashMap<>();
		for (SelfCall call : SelfCalls.find(ClassUtils.getUserClass(type), locked.keySet())) {
			if (!isUnderTheSameKey(call, locked)) {
				callers.computeIfAbsent(call.called(), (method) -> new TreeSet<>()).add(call.caller());
			}
		}
		callers.forEach((method, names) -> logger
			.warn("%s is called by its own bean in %s, not through the proxy: such a call runs without the lock."
				.formatted(MethodName.of(type, method), String.join(", ", names))
					+ " Call it from another bean, or acquire the lock with DistributedLocks.call(...)"));
	}

	private @Nullable String lifecycleCaller(Method method, Class<?> type) {
		MergedAnnotations annotations = MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY);
		for (String name : new String[] { "PostConstruct", "PreDestroy" }) {
			if (annotations.isPresent("jakarta.annotation." + name)) {
				return "@" + name;
			}
		}
		boolean plain = method.getParameterCount() == 0;
		if (plain && method.getName().equals("afterPropertiesSet") && InitializingBean.class.isAssignableFrom(type)) {
			return "InitializingBean";
		}
		if (plain && method.getName().equals("destroy") && DisposableBean.class.isAssignableFrom(type)) {
			return "DisposableBean";
		}
		return plain ? this.definitions.getOrDefault(ClassUtils.getUserClass(type), Map.of()).get(method.getName())
				: null;
	}

	/**
	 * Return whether the caller holds the same key or leads in the same role, so that the
	 * call would re-enter its lock.
	 */
	private static boolean isUnderTheSameKey(SelfCall call, Map<Method, LockAnnotation> locked) {
		LockAnnotation called = locked.get(call.called());
		return called != null
				&& locked.keySet().stream().filter(call::isBy).map(locked::get).anyMatch(called::isOfTheSameLock);
	}

	/** Warn if keys of two beans may be equal although they differ in meaning. */
	void warnOfBareKeys(LockAnnotation annotation, LockOperation operation) {
		if (!operation.key().isBare()) {
			return;
		}
		Map<Class<?>, String> known = this.bareKeys.computeIfAbsent(operation.options().engine(),
				(engine) -> new ConcurrentHashMap<>());
		Class<?> declaring = annotation.declared().getDeclaringClass();
		String key = "%s (\"%s\")".formatted(MethodName.of(annotation.type(), annotation.method()), operation.key());
		if (known.putIfAbsent(declaring, key) == null && known.size() > 1) {
			logger.warn("Keys without a prefix are the same lock where their values are equal: %s."
				.formatted(known.values().stream().sorted().collect(Collectors.joining(", ")))
					+ " Write a prefix for each kind of key, such as \"'order:' + #id\"");
		}
	}

}
