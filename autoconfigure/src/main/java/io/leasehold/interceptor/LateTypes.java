package io.leasehold.interceptor;

import java.io.ByteArrayInputStream;
import java.io.CharArrayReader;
import java.io.InputStream;
import java.io.Reader;
import java.io.StringReader;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.BaseStream;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.core.NativeDetector;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;

/**
 * Types of results whose work continues or begins after the method has returned.
 */
final class LateTypes {

	private static final int DEPTH = 5;

	static final String FLOW = "kotlinx.coroutines.flow.Flow";

	private static final String WEB = "org.springframework.web.";

	private static final List<Class<?>> LATE = present(Future.class.getName(), CompletionStage.class.getName(),
			Flow.Publisher.class.getName(), Callable.class.getName(), Supplier.class.getName(),
			BaseStream.class.getName(), Iterator.class.getName(), InputStream.class.getName(), Reader.class.getName(),
			"org.reactivestreams.Publisher", "io.reactivex.rxjava3.core.ObservableSource",
			"io.reactivex.rxjava3.core.SingleSource", "io.reactivex.rxjava3.core.MaybeSource",
			"io.reactivex.rxjava3.core.CompletableSource", "io.reactivex.ObservableSource", "io.reactivex.SingleSource",
			"io.reactivex.MaybeSource", "io.reactivex.CompletableSource", "io.smallrye.mutiny.Uni",
			"io.vertx.core.Future", "kotlinx.coroutines.Job", FLOW, "kotlinx.coroutines.channels.ReceiveChannel",
			"kotlinx.coroutines.channels.SendChannel", "kotlin.sequences.Sequence",
			WEB + "context.request.async.DeferredResult", WEB + "context.request.async.WebAsyncTask",
			WEB + "servlet.mvc.method.annotation.ResponseBodyEmitter",
			WEB + "servlet.mvc.method.annotation.StreamingResponseBody", WEB + "servlet.function.ServerResponse",
			WEB + "reactive.function.server.ServerResponse");

	/** Types whose work has begun, although Spring adapts them as publishers. */
	private static final List<Class<?>> BEGUN = present("kotlinx.coroutines.Job");

	/** Streams that read nothing later, since their content is in memory. */
	private static final List<Class<?>> IN_MEMORY = List.of(ByteArrayInputStream.class, StringReader.class,
			CharArrayReader.class);

	/** Results of {@link #isLate} by class. A Boolean keeps no class loader reachable. */
	private static final ClassValue<Boolean> KNOWN = new ClassValue<>() {

		@Override
		protected Boolean computeValue(Class<?> type) {
			return isLate(type);
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
		if (CompletionStage.class.isAssignableFrom(type)) {
			return !type.isAssignableFrom(CompletableFuture.class);
		}
		return isLate(type) && MethodChecks.publisher(type) == null;
	}

	/** Return whether the work of a type's objects begins before a subscription. */
	static boolean hasBegun(Class<?> type) {
		return BEGUN.stream().anyMatch((begun) -> begun.isAssignableFrom(type));
	}

	/** Find a type that ends later inside another, such as in the body of a response. */
	static @Nullable Class<?> within(ResolvableType type) {
		ResolvableType found = find(type, LateTypes::isLate, DEPTH);
		return (found != null) ? found.toClass() : null;
	}

	/**
	 * Return whether the values of a type, or their content, may end later although the
	 * type does not show it, as with {@code Object} and {@code List<?>}.
	 */
	static boolean isOpen(ResolvableType type) {
		return isOpen(type.toClass()) || find(type, LateTypes::isOpen, DEPTH) != null;
	}

	private static boolean isOpen(Class<?> type) {
		return LATE.stream().anyMatch((late) -> type != late && type.isAssignableFrom(late));
	}

	private static @Nullable ResolvableType find(ResolvableType type, Predicate<Class<?>> wanted, int depth) {
		for (ResolvableType part : (depth > 0) ? parts(type) : List.<ResolvableType>of()) {
			ResolvableType found = wanted.test(part.toClass()) ? part : find(part, wanted, depth - 1);
			if (found != null) {
				return found;
			}
		}
		return null;
	}

	/** Return the types of elements or components, or the type arguments. */
	private static List<ResolvableType> parts(ResolvableType type) {
		Class<?> raw = type.toClass();
		List<ResolvableType> parts = new ArrayList<>();
		if (type.isArray()) {
			parts.add(type.getComponentType());
		}
		else if (isReadableRecord(raw)) {
			for (RecordComponent component : raw.getRecordComponents()) {
				parts.add(ResolvableType.forType(component.getGenericType(), type));
			}
		}
		else if (raw != Class.class) {
			for (ResolvableType declared : List.of(type, type.as(Iterable.class), type.as(Map.class))) {
				parts.addAll(Arrays.asList(declared.getGenerics()));
			}
		}
		return parts;
	}

	/** Return whether a type is a record. Native images do not know components. */
	static boolean isReadableRecord(Class<?> type) {
		return type.isRecord() && !NativeDetector.inNativeImage();
	}

	/** Return whether an object that a method has returned ends later. */
	static boolean isLate(Object result) {
		return KNOWN.get(result.getClass());
	}

	/** Return whether the objects of a class end later. */
	static boolean isLate(Class<?> type) {
		return LATE.stream().anyMatch((late) -> late.isAssignableFrom(type) && !isComplete(type, late))
				|| MethodChecks.publisher(type) != null;
	}

	/**
	 * Return whether the objects of a class are complete although a late type includes
	 * them: streams in memory, and pages of Spring Data, which supply their elements.
	 */
	private static boolean isComplete(Class<?> type, Class<?> late) {
		return late == Supplier.class && Iterable.class.isAssignableFrom(type) || IN_MEMORY.stream()
			.anyMatch((memory) -> late.isAssignableFrom(memory) && memory.isAssignableFrom(type));
	}

}
