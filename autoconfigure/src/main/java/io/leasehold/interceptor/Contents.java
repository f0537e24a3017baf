package io.leasehold.interceptor;

import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.AbstractCollection;
import java.util.AbstractMap;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.stream.Stream;

import io.leasehold.LockScope;
import io.leasehold.key.MethodName;
import org.jspecify.annotations.Nullable;

import org.springframework.core.KotlinDetector;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Search for work that continues, in a returned object and its content: arrays,
 * optionals, collections and maps in memory, records, and the bodies of HTTP entities.
 * Content that may be loaded from elsewhere is not read.
 */
final class Contents {

	private static final int DEPTH = 5;

	private static final @Nullable Method ENTITY_BODY = entityBody();

	/** Accessors of a record's components that may end later. */
	private static final ClassValue<List<Method>> ACCESSORS = new ClassValue<>() {

		@Override
		protected List<Method> computeValue(Class<?> type) {
			return Stream.of(type.getRecordComponents())
				.map(RecordComponent::getAccessor)
				.filter((accessor) -> LateTypes.isLate(accessor.getReturnType())
						|| LateTypes.isOpen(ResolvableType.forMethodReturnType(accessor)))
				.peek(ReflectionUtils::makeAccessible)
				.toList();
		}

	};

	private Contents() {
	}

	private static @Nullable Method entityBody() {
		String name = "org.springframework.http.HttpEntity";
		ClassLoader loader = Contents.class.getClassLoader();
		return ClassUtils.isPresent(name, loader)
				? ReflectionUtils.findMethod(ClassUtils.resolveClassName(name, loader), "getBody") : null;
	}

	/** Return the check of a method's values. */
	static ValueCheck check(LockAnnotation annotation) {
		if (!LateTypes.isOpen(MethodChecks.declaredResult(annotation))) {
			return ValueCheck.NONE;
		}
		String method = MethodName.of(annotation.type(), annotation.method());
		boolean followed = annotation.isOf(LockScope.METHOD) && !annotation.values().fenced()
				&& annotation.role() == null && !KotlinDetector.isSuspendingFunction(annotation.method());
		String remedy = followed ? "Return a CompletionStage, a publisher or the complete value."
				: "Return the complete value.";
		return (value) -> {
			Object late = (value != null) ? findLate(value) : null;
			return (value == null || late == null) ? null
					: new IllegalStateException(
							"Method '%s' returned a %s, whose work would continue after its lock was released. %s"
								.formatted(method, described(value, late), remedy));
		};
	}

	private static String described(Object value, Object late) {
		String type = late.getClass().getSimpleName();
		return (late == value) ? type : "%s with a %s".formatted(value.getClass().getSimpleName(), type);
	}

	/** Return the first object that has not ended and ends later, or {@code null}. */
	private static @Nullable Object findLate(Object value) {
		try {
			return find(value, DEPTH);
		}
		catch (RuntimeException | Error ex) {
			return null; // cannot be read, such as a list that another thread changes
		}
	}

	private static @Nullable Object find(@Nullable Object value, int depth) {
		if (value == null || value instanceof Future<?> future && future.isDone()) {
			return null;
		}
		if (LateTypes.isLate(value)) {
			return value;
		}
		if (depth > 0) {
			for (Object part : parts(value)) {
				Object found = find(part, depth - 1);
				if (found != null) {
					return found;
				}
			}
		}
		return null;
	}

	private static Collection<?> parts(Object value) {
		if (value instanceof Object[] array) {
			return Arrays.asList(array);
		}
		if (value instanceof Collection<?> elements) {
			return isInMemory(value, AbstractCollection.class) ? elements : List.of();
		}
		if (value instanceof Map<?, ?> map) {
			return isInMemory(value, AbstractMap.class) ? map.values() : List.of();
		}
		if (value instanceof Optional<?> optional) {
			return optional.stream().toList();
		}
		if (LateTypes.isReadableRecord(value.getClass())) {
			return ACCESSORS.get(value.getClass())
				.stream()
				.<@Nullable Object>map((accessor) -> ReflectionUtils.invokeMethod(accessor, value))
				.toList();
		}
		return (ENTITY_BODY != null && ENTITY_BODY.getDeclaringClass().isInstance(value))
				? Arrays.asList(ReflectionUtils.invokeMethod(ENTITY_BODY, value)) : List.of();
	}

	/** Return whether a container is of the JDK or extends its classes. */
	private static boolean isInMemory(Object container, Class<?> base) {
		return base.isInstance(container) || container.getClass().getName().startsWith("java.util.");
	}

}
