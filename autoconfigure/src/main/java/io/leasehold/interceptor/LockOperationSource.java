package io.leasehold.interceptor;

import java.lang.reflect.Method;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import io.leasehold.key.KeyParser;
import io.leasehold.leadership.Leaderships;
import io.leasehold.service.LockService;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.core.MethodClassKey;
import org.springframework.util.StringValueResolver;

/**
 * Operations of annotated methods, resolved once per method and class. Thread-safe. Never
 * proxied, since the check of annotations depends on it.
 */
public final class LockOperationSource implements AopInfrastructureBean {

	private final LockOperationReader reader;

	private final LockedMethods methods = new LockedMethods();

	private final ConcurrentHashMap<MethodClassKey, Optional<LockOperation>> operations = new ConcurrentHashMap<>();

	/**
	 * Create a source.
	 * @param service supplies the defaults and the engines, not before the first
	 * operation
	 * @param keys parser of the keys
	 * @param values resolver of placeholders
	 * @param guards what guards the transactions of the methods
	 * @param whenUnavailable policy if the store does not respond
	 * @param leaderships supplies the roles of leaders, not before the first method that
	 * needs them
	 */
	public LockOperationSource(Supplier<LockService> service, KeyParser keys, StringValueResolver values,
			TransactionGuards guards, UnavailablePolicy whenUnavailable, Supplier<@Nullable Leaderships> leaderships) {
		this.reader = new LockOperationReader(new LockOptionsReader(service, values), keys, guards, whenUnavailable,
				leaderships);
	}

	/** Return the annotated methods of classes, without their operations. */
	LockedMethods methods() {
		return this.methods;
	}

	/**
	 * Find the operation of a method.
	 * @param targetClass class of the bean
	 * @return the operation, or {@code null} if the method has none
	 * @throws InvalidLockAnnotationException if the annotation is invalid
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

	/**
	 * Find the operation of a call. If the target is a proxy, the methods are those of
	 * its interfaces, as the pointcut sees them, not those of the class behind that
	 * proxy.
	 */
	@Nullable LockOperation find(MethodInvocation invocation) {
		Object target = invocation.getThis();
		return find(invocation.getMethod(),
				(target != null) ? target.getClass() : invocation.getMethod().getDeclaringClass());
	}

}
