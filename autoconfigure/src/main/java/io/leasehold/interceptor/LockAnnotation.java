package io.leasehold.interceptor;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.stream.Stream;

import io.leasehold.LockScope;
import io.leasehold.annotation.DistributedLock;
import io.leasehold.key.MethodName;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotationSelectors;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Annotation that applies to a method, and the place of its declaration.
 *
 * @param values the attributes that the user wrote
 * @param method the method of that class
 * @param declared the method whose parameter names the key uses: the annotated one, which
 * may belong to an interface
 * @param onMethod whether a method is annotated, not a class or interface
 */
record LockAnnotation(DistributedLock values, Class<?> type, Method method, Method declared, boolean onMethod) {

	/**
	 * Find the annotation: on the method, on those that it implements or overrides, on
	 * the class, on its interfaces.
	 */
	static @Nullable LockAnnotation find(Method method, Class<?> targetClass) {
		Class<?> type = ClassUtils.getUserClass(targetClass);
		Method specific = AopUtils.getMostSpecificMethod(method, type);
		MergedAnnotation<DistributedLock> found = onMethod(specific, type);
		if (found.isPresent()) {
			Method declared = (found.getSource() instanceof Method source) ? source : specific;
			return new LockAnnotation(found.synthesize(), type, specific, declared, true);
		}
		return isOpen(specific) ? findOnType(type, specific) : null;
	}

	/**
	 * Find the annotation of a method. A superclass may declare the method without
	 * implementing the annotated interface of its subclass.
	 */
	private static MergedAnnotation<DistributedLock> onMethod(Method method, Class<?> type) {
		MergedAnnotation<DistributedLock> found = nearest(method);
		if (found.isPresent() || method.getDeclaringClass() == type) {
			return found;
		}
		return ClassUtils.getAllInterfacesForClassAsSet(type)
			.stream()
			.flatMap((contract) -> implemented(contract, method, type))
			.map(LockAnnotation::nearest)
			.filter(MergedAnnotation::isPresent)
			.findFirst()
			.orElse(found);
	}

	private static MergedAnnotation<DistributedLock> nearest(Method method) {
		return MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY)
			.get(DistributedLock.class, null, MergedAnnotationSelectors.firstDirectlyDeclared());
	}

	/** Return whether an annotation of the whole class applies to the method. */
	private static boolean isOpen(Method method) {
		int modifiers = method.getModifiers();
		return Modifier.isPublic(modifiers) && !Modifier.isStatic(modifiers) && !ReflectionUtils.isObjectMethod(method)
				&& ClassUtils.isUserLevelMethod(method);
	}

	private static @Nullable LockAnnotation findOnType(Class<?> type, Method method) {
		return MergedAnnotations.from(type, SearchStrategy.TYPE_HIERARCHY)
			.stream(DistributedLock.class)
			.flatMap((annotation) -> declaredBy(annotation.getSource(), method, type)
				.map((declared) -> new LockAnnotation(annotation.synthesize(), type, method, declared, false)))
			.findFirst()
			.orElse(null);
	}

	/** Find the declaration. An interface's annotation covers only its own methods. */
	private static Stream<Method> declaredBy(@Nullable Object source, Method method, Class<?> type) {
		if (!(source instanceof Class<?> annotated && annotated.isInterface())) {
			return Stream.of(method);
		}
		return implemented(annotated, method, type);
	}

	/** Find the methods of an interface that a method of a class implements. */
	private static Stream<Method> implemented(Class<?> contract, Method method, Class<?> type) {
		return Arrays.stream(contract.getMethods())
			.filter((candidate) -> candidate.getName().equals(method.getName()))
			.filter((candidate) -> AopUtils.getMostSpecificMethod(candidate, type).equals(method));
	}

	boolean isOf(LockScope scope) {
		return this.values.scope() == scope;
	}

	/** Return class and method, such as {@code OrderService.pay}. */
	String defaultName() {
		Class<?> owner = MethodName.owner(this.type, this.declared);
		String name = owner.getSimpleName();
		return (name.isEmpty() ? ClassUtils.getShortName(owner) : name) + "." + this.declared.getName();
	}

	InvalidLockAnnotationException invalid(String problem, String action) {
		return invalid(problem, action, null);
	}

	InvalidLockAnnotationException invalid(String problem, String action, @Nullable Throwable cause) {
		return new InvalidLockAnnotationException(this.type, this.method, problem, action, cause);
	}

}
