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
 * Types of results whose work goes on, or only begins, after the method has returned, and
 * whose end cannot be observed.
 */
final class LateTypes {

	private static final int DEPTH = 5;

	private static final String WEB = "org.springframework.web.";

	/** Their work begins when somebody else calls them. */
	private static final List<Class<?>> BEGINNING = present(Callable.class.getName(),
			WEB + "context.request.async.WebAsyncTask", WEB + "servlet.mvc.method.annotation.StreamingResponseBody");

	/** Their work may run already. */
	private static final List<Class<?>> RUNNING = present(Future.class.getName(),
			WEB + "context.request.async.DeferredResult", WEB + "servlet.mvc.method.annotation.ResponseBodyEmitter");

	/** What often has such a result inside. */
	private static final List<Class<?>> WRAPPERS = present(Optional.class.getName(), Iterable.class.getName(),
			Map.class.getName(), CompletionStage.class.getName(), "org.reactivestreams.Publisher",
			"org.springframework.http.HttpEntity");

	/**
	 * A Boolean for each class, which keeps no class loader of an application reachable.
	 */
	private static final ClassValue<Boolean> LATE = new ClassValue<>() {

		@Override
		protected Boolean computeValue(Class<?> type) {
			return CompletionStage.class.isAssignableFrom(type) || MethodChecks.isPublisher(type)
					|| isOneOf(RUNNING, type) || isOneOf(BEGINNING, type);
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

	/** Whether a type cannot be followed. */
	static boolean isUnfollowed(Class<?> type) {
		boolean followed = CompletionStage.class.isAssignableFrom(type)
				&& type.isAssignableFrom(CompletableFuture.class);
		return !followed
				&& (isOneOf(BEGINNING, type) || isOneOf(RUNNING, type) || CompletionStage.class.isAssignableFrom(type));
	}

	/**
	 * Find a type inside of a result, such as the body of a response, that ends later.
	 */
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

	/** Whether a value of a type may be a result that ends later. */
	static boolean mayBe(Class<?> type) {
		return Stream.concat(BEGINNING.stream(), RUNNING.stream()).anyMatch(type::isAssignableFrom)
				|| type.isAssignableFrom(CompletableFuture.class);
	}

	/** Whether an object that a method has returned ends later. */
	static boolean isLate(Object result) {
		return LATE.get(result.getClass());
	}

	/** Whether such an object has begun already, if it cannot be followed. */
	static boolean isRunning(Object result) {
		return result instanceof CompletionStage<?> || isOneOf(RUNNING, result.getClass());
	}

	private static boolean isOneOf(List<Class<?>> types, Class<?> type) {
		return types.stream().anyMatch((late) -> late.isAssignableFrom(type));
	}

}
