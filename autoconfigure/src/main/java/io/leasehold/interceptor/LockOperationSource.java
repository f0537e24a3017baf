package io.leasehold.interceptor;

import java.lang.reflect.Method;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import io.leasehold.FencingGuard;
import io.leasehold.key.KeyParser;
import io.leasehold.service.LockService;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;
import org.springframework.core.MethodClassKey;
import org.springframework.util.StringValueResolver;

/**
 * What the annotations of methods say, resolved once for each method and class.
 * Thread-safe.
 */
public final class LockOperationSource {

	private final LockOperationReader reader;

	private final LockedMethods methods = new LockedMethods();

	private final ConcurrentHashMap<MethodClassKey, Optional<LockOperation>> operations = new ConcurrentHashMap<>();

	/**
	 * Create a source.
	 * @param service knows the defaults and the engines, asked for with the first
	 * operation
	 * @param keys parses the keys
	 * @param values resolves placeholders
	 * @param fencing guards what is fenced, asked for with the first such operation
	 */
	public LockOperationSource(Supplier<LockService> service, KeyParser keys, StringValueResolver values,
			Supplier<@Nullable FencingGuard> fencing) {
		this.reader = new LockOperationReader(service, keys, values, fencing);
	}

	/** The annotated methods of classes, without what their annotations say. */
	LockedMethods methods() {
		return this.methods;
	}

	/**
	 * Find the operation of a method.
	 * @param method the method
	 * @param targetClass class of the bean
	 * @return the operation, or {@code null} if the method has none
	 * @throws InvalidLockAnnotationException if the annotation cannot be obeyed
	 */
	@Nullable LockOperation find(Method method, Class<?> targetClass) {
		MethodClassKey cacheKey = new MethodClassKey(method, targetClass);
		Optional<LockOperation> known = this.operations.get(cacheKey);
		if (known == null) {
			LockAnnotation annotation = LockAnnotation.find(method, targetClass);
			known = Optional.ofNullable((annotation != null) ? this.reader.read(annotation) : null);
			this.operations.put(cacheKey, known);
		}
		return known.orElse(null);
	}

	@Nullable LockOperation find(MethodInvocation invocation) {
		Object target = invocation.getThis();
		return find(invocation.getMethod(),
				(target != null) ? AopUtils.getTargetClass(target) : invocation.getMethod().getDeclaringClass());
	}

}
