package io.leasehold.interceptor;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;

import io.leasehold.LockException;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

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
		Class<?>[] types = annotation.method().getParameterTypes();
		Method plain = ReflectionUtils.findMethod(annotation.type(), name, types);
		Method found = plain;
		for (Method candidate : ReflectionUtils.getUniqueDeclaredMethods(annotation.type())) {
			if (candidate.getName().equals(name) && takesException(candidate, types)) {
				found = candidate;
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
		return new Fallback(found, found != plain);
	}

	private static boolean takesException(Method candidate, Class<?>[] types) {
		Class<?>[] own = candidate.getParameterTypes();
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
		Class<?> wanted = annotation.method().getReturnType();
		if (wanted != void.class && !ClassUtils.isAssignable(wanted, fallback.getReturnType())) {
			throw annotation.invalid(
					"has fallback \"%s\", which returns %s".formatted(fallback.getName(),
							fallback.getReturnType().getSimpleName()),
					"Let it return %s, as the method does.".formatted(wanted.getSimpleName()));
		}
	}

	private static String simpleNames(Class<?>[] types) {
		return String.join(", ", Arrays.stream(types).map(Class::getSimpleName).toList());
	}

	@Nullable Object call(MethodInvocation invocation, LockException reason) throws Throwable {
		@Nullable Object[] arguments = invocation.getArguments();
		if (this.takesException) {
			arguments = Arrays.copyOf(arguments, arguments.length + 1);
			arguments[arguments.length - 1] = reason;
		}
		try {
			return this.method.invoke(Modifier.isStatic(this.method.getModifiers()) ? null : invocation.getThis(),
					arguments);
		}
		catch (InvocationTargetException ex) {
			throw ex.getTargetException();
		}
	}

}
