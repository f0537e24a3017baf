package io.leasehold.interceptor;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import io.leasehold.LockException;
import io.leasehold.LockScope;
import io.leasehold.key.MethodName;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.core.GenericTypeResolver;
import org.springframework.core.KotlinDetector;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Method called if the lock could not be acquired.
 *
 * @param method a method of the same class
 * @param takesException whether its last parameter is the exception
 * @param scope scope of the lock, in whose place the method is called
 */
record Fallback(Method method, boolean takesException, LockScope scope) {

	static Fallback find(LockAnnotation annotation, String name) {
		Class<?>[] types = types(annotation.method());
		List<Method> named = Arrays.stream(ReflectionUtils.getUniqueDeclaredMethods(annotation.type()))
			.filter((candidate) -> isNamed(candidate, name) && canCall(annotation.method(), candidate))
			.toList();
		List<Method> found = named.stream().filter((candidate) -> takesException(candidate, types)).toList();
		boolean takesException = !found.isEmpty();
		if (!takesException) {
			found = named.stream().filter((candidate) -> Arrays.equals(types(candidate), types)).toList();
		}
		if (name.contains("(")) {
			throw annotation.invalid("has fallback \"%s\", which is not a method name".formatted(name),
					"Write the name alone, without parentheses.");
		}
		if (found.isEmpty()) {
			throw annotation.invalid(problem(annotation, name),
					"Write a method %s(%s) in that class. It may take a %s as an additional last parameter."
						.formatted(name, simpleNames(types), LockException.class.getSimpleName()));
		}
		Method fallback = found.get(0);
		if (found.stream().anyMatch((other) -> !other.getName().equals(fallback.getName()))) {
			throw annotation.invalid(
					"has fallback \"%s\", of which there are several: their value classes have the same type at run time"
						.formatted(name),
					"Rename the others.");
		}
		checkResult(annotation, fallback, name);
		checkUnlocked(annotation, fallback, name);
		return new Fallback(fallback, takesException, annotation.values().scope());
	}

	private static boolean isNamed(Method candidate, String name) {
		return candidate.getName().equals(name)
				|| !candidate.isSynthetic() && MethodName.written(candidate).equals(name);
	}

	/** Only suspending functions can wait for suspending fallbacks. */
	private static boolean canCall(Method method, Method candidate) {
		return !KotlinDetector.isSuspendingFunction(candidate) || KotlinDetector.isSuspendingFunction(method);
	}

	/** Return the types of the parameters, without the continuation that Kotlin adds. */
	private static Class<?>[] types(Method method) {
		Class<?>[] types = method.getParameterTypes();
		return KotlinDetector.isSuspendingFunction(method) ? Arrays.copyOf(types, types.length - 1) : types;
	}

	private static boolean takesException(Method candidate, Class<?>[] types) {
		Class<?>[] own = types(candidate);
		return own.length == types.length + 1 && own[types.length].isAssignableFrom(LockException.class)
				&& Arrays.equals(Arrays.copyOf(own, types.length), types);
	}

	private static String problem(LockAnnotation annotation, String name) {
		boolean exists = Arrays.stream(ReflectionUtils.getAllDeclaredMethods(annotation.type()))
			.anyMatch((method) -> isNamed(method, name));
		return exists ? "has fallback \"%s\", whose parameters differ from those of the method".formatted(name)
				: "has fallback \"%s\", but there is no such method".formatted(name);
	}

	private static void checkResult(LockAnnotation annotation, Method fallback, String name) {
		Class<?> wanted = annotation.returnType();
		Class<?> returned = GenericTypeResolver.resolveReturnType(fallback, annotation.type());
		if (!SkippedResult.isNone(wanted) && !ClassUtils.isAssignable(wanted, returned)) {
			throw annotation.invalid("has fallback \"%s\", which returns %s".formatted(name, returned.getSimpleName()),
					"Let it return %s, as the method does.".formatted(wanted.getSimpleName()));
		}
	}

	/**
	 * Reject a fallback with a lock of its own, because it is called without one. The
	 * annotation of a class also applies to the fallback that it names itself.
	 */
	private static void checkUnlocked(LockAnnotation annotation, Method fallback, String name) {
		LockAnnotation own = LockAnnotation.find(fallback, annotation.type());
		if (own != null && (own.onMethod() || !own.values().fallback().equals(name))) {
			throw annotation.invalid(
					"has fallback \"%s\", which has a lock of its own, by the annotation on %s: a fallback is called without a lock"
						.formatted(name, own.place()),
					"Write a fallback without an annotation. It may call a locked method of another bean.");
		}
	}

	private static String simpleNames(Class<?>[] types) {
		return String.join(", ", Arrays.stream(types).map(Class::getSimpleName).toList());
	}

	/**
	 * Call the fallback instead of the method, under the advice that is inside the lock.
	 * A suspending one returns a publisher.
	 */
	@Nullable Object call(MethodInvocation invocation, LockException reason) throws Throwable {
		@Nullable Object[] arguments = invocation.getArguments();
		int count = types(invocation.getMethod()).length;
		List<@Nullable Object> own = new ArrayList<>(Arrays.asList(arguments).subList(0, count));
		if (this.takesException) {
			own.add(reason);
		}
		if (KotlinDetector.isSuspendingFunction(this.method)) {
			own.add(arguments[count]);
		}
		return new InsideCall((ProxyMethodInvocation) invocation, this.method, own.toArray(), this.scope).proceed();
	}

}
