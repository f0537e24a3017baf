package io.leasehold.interceptor;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import io.leasehold.LockException;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;
import org.springframework.core.GenericTypeResolver;
import org.springframework.core.KotlinDetector;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Method called if the lock could not be acquired.
 *
 * @param method a method of the same class
 * @param takesException whether its last parameter is the exception
 */
record Fallback(Method method, boolean takesException) {

	static Fallback find(LockAnnotation annotation, String name) {
		Class<?>[] types = types(annotation.method());
		Method found = null;
		boolean takesException = false;
		for (Method candidate : ReflectionUtils.getUniqueDeclaredMethods(annotation.type())) {
			if (candidate.getName().equals(name) && canCall(annotation.method(), candidate) && !takesException) {
				takesException = takesException(candidate, types);
				found = (takesException || Arrays.equals(types(candidate), types)) ? candidate : found;
			}
		}
		if (name.contains("(")) {
			throw annotation.invalid("has fallback \"%s\", which is not a method name".formatted(name),
					"Write the name alone, without parentheses.");
		}
		if (found == null) {
			throw annotation.invalid(problem(annotation, name),
					"Write a method %s(%s) in that class. It may take a %s as an additional last parameter."
						.formatted(name, simpleNames(types), LockException.class.getSimpleName()));
		}
		checkResult(annotation, found);
		ReflectionUtils.makeAccessible(found);
		return new Fallback(found, takesException);
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
			.anyMatch((method) -> method.getName().equals(name));
		return exists ? "has fallback \"%s\", whose parameters differ from those of the method".formatted(name)
				: "has fallback \"%s\", but there is no such method".formatted(name);
	}

	private static void checkResult(LockAnnotation annotation, Method fallback) {
		Class<?> wanted = annotation.returnType();
		Class<?> returned = GenericTypeResolver.resolveReturnType(fallback, annotation.type());
		if (!SkippedResult.isNone(wanted) && !ClassUtils.isAssignable(wanted, returned)) {
			throw annotation.invalid(
					"has fallback \"%s\", which returns %s".formatted(fallback.getName(), returned.getSimpleName()),
					"Let it return %s, as the method does.".formatted(wanted.getSimpleName()));
		}
	}

	private static String simpleNames(Class<?>[] types) {
		return String.join(", ", Arrays.stream(types).map(Class::getSimpleName).toList());
	}

	/** Call the fallback. A suspending one returns a publisher. */
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
		return AopUtils.invokeJoinpointUsingReflection(invocation.getThis(), this.method, own.toArray());
	}

}
