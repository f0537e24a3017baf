package io.leasehold.interceptor;

import java.lang.reflect.Method;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;

import org.jspecify.annotations.Nullable;

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
	static @Nullable Object of(Method method) {
		return EMPTY.get(method.getReturnType());
	}

	/** Return whether the method's return type has an empty value. */
	static boolean existsFor(Method method) {
		return method.getReturnType() == void.class || !method.getReturnType().isPrimitive();
	}

}
