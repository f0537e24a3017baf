package io.leasehold.interceptor;

import java.lang.reflect.Method;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;

import org.jspecify.annotations.Nullable;

import org.springframework.core.KotlinDetector;
import org.springframework.core.Nullness;

/**
 * Result of a method whose call was skipped.
 */
final class SkippedResult {

	private static final Map<Class<?>, Object> EMPTY = Map.of(Optional.class, Optional.empty(), OptionalInt.class,
			OptionalInt.empty(), OptionalLong.class, OptionalLong.empty(), OptionalDouble.class,
			OptionalDouble.empty());

	private SkippedResult() {
	}

	/** Return the result. {@code null} also stands for an empty stage or publisher. */
	static @Nullable Object of(LockAnnotation annotation) {
		return EMPTY.get(annotation.returnType());
	}

	/** Return whether the method's return type has an empty value. */
	static boolean existsFor(LockAnnotation annotation) {
		Class<?> type = annotation.returnType();
		if (isNone(type) || EMPTY.containsKey(type)) {
			return true;
		}
		Method method = annotation.method();
		return KotlinDetector.isKotlinType(method.getDeclaringClass())
				? Nullness.forMethodReturnType(method) != Nullness.NON_NULL : !type.isPrimitive();
	}

	/** Return whether methods that return a type return nothing. */
	static boolean isNone(Class<?> type) {
		return type == void.class || type.getName().equals("kotlin.Unit");
	}

}
