package io.leasehold.interceptor;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.leasehold.LockScope;
import io.leasehold.annotation.DistributedLock;
import io.leasehold.annotation.LeaderOnly;
import io.leasehold.key.MethodName;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;
import org.springframework.core.BridgeMethodResolver;
import org.springframework.core.GenericTypeResolver;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Annotation that applies to a method, and the place of its declaration.
 *
 * @param values the attributes that the user wrote
 * @param role the role whose leader runs the method, {@code null} for any process
 * @param method the method of that class
 * @param declared the method whose parameter names the key uses: the annotated one, which
 * may belong to an interface
 * @param source the annotated method, class or interface
 */
record LockAnnotation(DistributedLock values, @Nullable String role, Class<?> type, Method method, Method declared,
		AnnotatedElement source) {

	/**
	 * Find the annotation: on the method, on those that it implements or overrides, on
	 * the class, on its interfaces. If several apply equally, it is one of them.
	 */
	static @Nullable LockAnnotation find(Method method, Class<?> targetClass) {
		Iterator<LockAnnotation> nearest = nearest(method, targetClass).iterator();
		return nearest.hasNext() ? nearest.next() : null;
	}

	/**
	 * Find the annotations that no other one overrides: those of methods override those
	 * of types, and those of a type override those of its supertypes. More than one is
	 * ambiguous.
	 */
	private static List<LockAnnotation> nearest(Method method, Class<?> targetClass) {
		Class<?> type = ClassUtils.getUserClass(targetClass);
		Method specific = AopUtils.getMostSpecificMethod(method, type);
		List<LockAnnotation> onMethods = onMethods(specific, type);
		List<LockAnnotation> all = onMethods.isEmpty() ? onTypes(specific, type) : onMethods;
		return all.stream().filter((annotation) -> all.stream().noneMatch(annotation::isOverriddenBy)).toList();
	}

	/**
	 * Find the annotations of a method and of those that it implements or overrides. A
	 * superclass may declare the method without implementing the annotated interface of
	 * its subclass.
	 */
	private static List<LockAnnotation> onMethods(Method method, Class<?> type) {
		Stream<Method> implemented = (method.getDeclaringClass() != type)
				? ClassUtils.getAllInterfacesForClassAsSet(type)
					.stream()
					.flatMap((contract) -> implemented(contract, method, type))
				: Stream.empty();
		return Stream.concat(Stream.of(method), implemented)
			.flatMap(LockAnnotation::sources)
			.distinct()
			.flatMap((source) -> declaredOn(source).map((merged) -> of(merged, type, method, (Method) source, source)))
			.toList();
	}

	private static List<LockAnnotation> onTypes(Method method, Class<?> type) {
		return !isOpen(method, type) ? List.of()
				: sources(type).flatMap((source) -> declaredBy((Class<?>) source, method, type).flatMap(
						(declared) -> declaredOn(source).map((merged) -> of(merged, type, method, declared, source))))
					.toList();
	}

	/**
	 * Return the annotated elements in the hierarchy of an element. The compiler copies
	 * the annotations of a method to its bridge methods.
	 */
	private static Stream<AnnotatedElement> sources(AnnotatedElement element) {
		return MergedAnnotations.from(element, SearchStrategy.TYPE_HIERARCHY)
			.stream(DistributedLock.class)
			.map((annotation) -> Objects.requireNonNull(annotation.getSource()))
			.map((source) -> (source instanceof Method method) ? BridgeMethodResolver.findBridgedMethod(method)
					: (AnnotatedElement) source)
			.distinct();
	}

	/** Return the annotations of an element, also of composed annotations. */
	private static Stream<MergedAnnotation<DistributedLock>> declaredOn(AnnotatedElement element) {
		return MergedAnnotations.from(element).stream(DistributedLock.class);
	}

	private static LockAnnotation of(MergedAnnotation<DistributedLock> merged, Class<?> type, Method method,
			Method declared, AnnotatedElement source) {
		MergedAnnotation<?> composed = merged.getMetaSource();
		String role = (composed != null && composed.getType() == LeaderOnly.class)
				? composed.getString(MergedAnnotation.VALUE) : null;
		return new LockAnnotation(merged.synthesize(), role, type, method, declared, source);
	}

	private boolean isOverriddenBy(LockAnnotation other) {
		return other.owner() != owner() && owner().isAssignableFrom(other.owner());
	}

	private Class<?> owner() {
		return (this.source instanceof Class<?> annotated) ? annotated : ((Method) this.source).getDeclaringClass();
	}

	/**
	 * Return whether an annotation of the whole class applies to the method, which may be
	 * one that a proxy adds.
	 */
	private static boolean isOpen(Method method, Class<?> type) {
		int modifiers = method.getModifiers();
		return Modifier.isPublic(modifiers) && !Modifier.isStatic(modifiers) && !ReflectionUtils.isObjectMethod(method)
				&& ClassUtils.isUserLevelMethod(method) && method.getDeclaringClass().isAssignableFrom(type);
	}

	/** Find the declaration. An interface's annotation covers only its own methods. */
	private static Stream<Method> declaredBy(Class<?> annotated, Method method, Class<?> type) {
		return annotated.isInterface() ? implemented(annotated, method, type).limit(1) : Stream.of(method);
	}

	/** Find the methods of an interface that a method of a class implements. */
	private static Stream<Method> implemented(Class<?> contract, Method method, Class<?> type) {
		return Arrays.stream(contract.getMethods())
			.filter((candidate) -> candidate.getName().equals(method.getName()))
			.filter((candidate) -> AopUtils.getMostSpecificMethod(candidate, type).equals(method));
	}

	/** Return whether a method is annotated, not a class or interface. */
	boolean onMethod() {
		return this.source instanceof Method;
	}

	/**
	 * Reject a method to which several annotations apply equally, or one that is for a
	 * leader and also has a lock of its own, whichever overrides the other.
	 */
	void checkUnambiguous() {
		List<LockAnnotation> nearest = nearest(this.method, this.type);
		if (nearest.size() > 1) {
			throw invalid("has several @DistributedLock annotations, of which only one would apply: on %s"
				.formatted(nearest.stream().map(LockAnnotation::place).distinct().collect(Collectors.joining(" and "))),
					"Keep one annotation, or write a single one on the method. For several locks, use a list as its key.");
		}
		Stream.concat(onMethods(this.method, this.type).stream(), onTypes(this.method, this.type).stream())
			.filter((other) -> (other.role == null) != (this.role == null))
			.findFirst()
			.ifPresent((other) -> {
				throw (this.role != null) ? mixed(this, other) : mixed(other, this);
			});
	}

	private InvalidLockAnnotationException mixed(LockAnnotation leaders, LockAnnotation locked) {
		return invalid(
				"has a lock of its own, by @DistributedLock on %s, and is for the leader in role '%s', by @LeaderOnly on %s: only one of them would apply"
					.formatted(locked.place(), leaders.role, leaders.place()),
				"Remove one of them. To lock a part of a leader's work, call a locked method of another bean.");
	}

	/** Return the name of the annotated method, class or interface. */
	String place() {
		return (this.source instanceof Method annotated) ? MethodName.of(owner(), annotated) : owner().getName();
	}

	/** Return whether both are of the same role, or of no role but the same key. */
	boolean isOfTheSameLock(LockAnnotation other) {
		return Objects.equals(this.role, other.role) && this.values.key().equals(other.values.key())
				&& this.values.engine().equals(other.values.engine());
	}

	/** Return the type of the method's result, also if it is a suspending function. */
	Class<?> returnType() {
		return GenericTypeResolver.resolveReturnType(this.method, this.type);
	}

	boolean isOf(LockScope scope) {
		return this.values.scope() == scope;
	}

	/** Return class and method, such as {@code OrderService.pay}. */
	String defaultName() {
		Class<?> owner = MethodName.owner(this.type, this.declared);
		String name = owner.getSimpleName();
		return (name.isEmpty() ? ClassUtils.getShortName(owner) : name) + "." + MethodName.written(this.declared);
	}

	InvalidLockAnnotationException invalid(String problem, String action) {
		return invalid(problem, action, null);
	}

	InvalidLockAnnotationException invalid(String problem, String action, @Nullable Throwable cause) {
		return new InvalidLockAnnotationException(this.type, this.method, problem, action, cause);
	}

}
