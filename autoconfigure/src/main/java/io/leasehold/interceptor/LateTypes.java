package io.leasehold.interceptor;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;

/**
 * Types of results whose work continues or begins after the method has returned, and
 * whose end cannot be observed.
 */
final class LateTypes {

	private static final int DEPTH = 5;

	private static final String WEB = "org.springframework.web.";

	/** Types whose work begins when other code calls them. */
	private static final List<Class<?>> BEGINNING = present(Callable.class.getName(),
			WEB + "context.request.async.WebAsyncTask", WEB + "servlet.mvc.method.annotation.StreamingResponseBody");

	/** Types whose work may already run. */
	private static final List<Class<?>> RUNNING = present(Future.class.getName(),
			WEB + "context.request.async.DeferredResult", WEB + "servlet.mvc.method.annotation.ResponseBodyEmitter");

	/** Types that often contain such a result. */
	private static final List<Class<?>> WRAPPERS = present(Optional.class.getName(), Iterable.class.getName(),
			Map.class.getName(), CompletionStage.class.getName(), "org.reactivestreams.Publisher",
			"org.springframework.http.HttpEntity");

	/** Results of {@link #isLate} by class. A Boolean keeps no class loader reachable. */
	private static final ClassValue<Boolean> LATE = new ClassValue<>() {

		@Override
		protected Boolean computeValue(Class<?> type) {
			return hasLateInstances(type);
		}

	};

	private LateTypes() {
	}

	private static List<Class<?>> present(String... names) {
		ClassLoader loader = LateTypes.class.getClassLoader();
		return Stream.of(names)
			.filter((name) -> ClassUtils.isPresent(name, loader))
			.<Class<?>>map((name) -> ClassUtils.resolveClassName(name, loader))
			.toList();
	}

	/** Return whether the results of a declared type cannot be followed to their end. */
	static boolean isUnfollowed(Class<?> type) {
		boolean followed = CompletionStage.class.isAssignableFrom(type)
				&& type.isAssignableFrom(CompletableFuture.class);
		return !followed
				&& (isOneOf(BEGINNING, type) || isOneOf(RUNNING, type) || CompletionStage.class.isAssignableFrom(type));
	}

	/** Find a type that ends later inside another, such as in the body of a response. */
	static @Nullable Class<?> within(ResolvableType type) {
		return within(type, DEPTH);
	}

	private static @Nullable Class<?> within(ResolvableType type, int depth) {
		boolean wrapper = depth > 0 && isOneOf(WRAPPERS, type.toClass());
		ResolvableType[] parts = type.isArray() ? new ResolvableType[] { type.getComponentType() }
				: wrapper ? type.getGenerics() : new ResolvableType[0];
		for (ResolvableType part : parts) {
			Class<?> raw = part.toClass();
			boolean late = isUnfollowed(raw) || CompletionStage.class.isAssignableFrom(raw)
					|| MethodChecks.isPublisher(raw);
			Class<?> found = late ? raw : within(part, depth - 1);
			if (found != null) {
				return found;
			}
		}
		return null;
	}

	/** Return whether a type's values include results that end later. */
	static boolean mayBe(Class<?> type) {
		return Stream.concat(BEGINNING.stream(), RUNNING.stream()).anyMatch(type::isAssignableFrom)
				|| type.isAssignableFrom(CompletableFuture.class);
	}

	/** Return whether an object that a method has returned ends later. */
	static boolean isLate(Object result) {
		return LATE.get(result.getClass());
	}

	/** Return whether the objects of a class end later. */
	static boolean hasLateInstances(Class<?> type) {
		return CompletionStage.class.isAssignableFrom(type) || MethodChecks.isPublisher(type) || isOneOf(RUNNING, type)
				|| isOneOf(BEGINNING, type);
	}

	/** Return whether an object that cannot be followed may already run. */
	static boolean isRunning(Object result) {
		return result instanceof CompletionStage<?> || isOneOf(RUNNING, result.getClass());
	}

	private static boolean isOneOf(List<Class<?>> types, Class<?> type) {
		return types.stream().anyMatch((late) -> late.isAssignableFrom(type));
	}

}
