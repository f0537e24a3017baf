package io.leasehold.interceptor;

import java.lang.reflect.Method;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;

import org.jspecify.annotations.Nullable;

/**
 * What a method returns whose call was skipped.
 */
final class SkippedResult {

	private static final Map<Class<?>, Object> EMPTY = Map.of(Optional.class, Optional.empty(), OptionalInt.class,
			OptionalInt.empty(), OptionalLong.class, OptionalLong.empty(), OptionalDouble.class,
			OptionalDouble.empty());

	private SkippedResult() {
	}

	/** The result, or for one that ends later its value. */
	static @Nullable Object of(Method method) {
		return EMPTY.get(method.getReturnType());
	}

	/** Whether there is a value that means nothing. */
	static boolean existsFor(Method method) {
		return method.getReturnType() == void.class || !method.getReturnType().isPrimitive();
	}

}
