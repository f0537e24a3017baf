package io.leasehold.interceptor;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.context.annotation.Bean;
import org.springframework.core.KotlinDetector;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.scheduling.annotation.Async;
import org.springframework.util.ClassUtils;

/**
 * Check of a method's declaration: whether the method can run under a lock.
 */
final class MethodChecks {

	private static final boolean REACTOR = ClassUtils.isPresent("reactor.core.publisher.Mono",
			MethodChecks.class.getClassLoader());

	/** Whether Spring can call suspending functions and adapt flows. */
	private static final boolean COROUTINES = REACTOR && KotlinDetector.isKotlinReflectPresent()
			&& ClassUtils.isPresent("kotlinx.coroutines.reactor.MonoKt", MethodChecks.class.getClassLoader());

	private MethodChecks() {
	}

	static void check(LockAnnotation annotation) {
		annotation.checkUnambiguous();
		checkReach(annotation);
		checkResult(annotation);
	}

	private static void checkReach(LockAnnotation annotation) {
		Method method = annotation.method();
		if (MergedAnnotations.from(method).isPresent(Bean.class)) {
			throw annotation.invalid("is a @Bean method, so its lock would only cover the creation of the bean",
					"Annotate methods of the bean's class.");
		}
		int modifiers = method.getModifiers();
		String unreachable = Modifier.isStatic(modifiers) ? "static" : Modifier.isPrivate(modifiers) ? "private"
				: isHidden(method, annotation.type()) ? "package-private in a superclass of another package" : null;
		if (unreachable != null) {
			throw annotation.invalid("is %s, so that no proxy can run it under its lock".formatted(unreachable),
					"Make it a %s method that other beans call."
						.formatted(Modifier.isStatic(modifiers) ? "non-static" : "public"));
		}
		if (isFinal(annotation) && ClassUtils.getInterfaceMethodIfPossible(method, annotation.type()) == method) {
			throw annotation.invalid("is final%s, so that no proxy can run it under its lock".formatted(Modifier
				.isFinal(modifiers) ? "" : " through its class"), KotlinDetector.isKotlinType(annotation.type())
						? "Kotlin's classes and functions are final by default: apply the compiler plugin kotlin-spring, which opens Spring's components, or declare both open."
						: "Remove final, or declare the method in an interface and use JDK proxies.");
		}
	}

	/**
	 * Return whether a method is visible in its package only, and no proxy of a class in
	 * another one overrides it. Class loaders do not share packages.
	 */
	private static boolean isHidden(Method method, Class<?> type) {
		Class<?> declaring = method.getDeclaringClass();
		return (method.getModifiers() & (Modifier.PUBLIC | Modifier.PROTECTED)) == 0
				&& !(declaring.getPackageName().equals(type.getPackageName())
						&& declaring.getClassLoader() == type.getClassLoader());
	}

	private static boolean isFinal(LockAnnotation annotation) {
		return Modifier.isFinal(annotation.method().getModifiers())
				|| Modifier.isFinal(annotation.type().getModifiers()) && !Proxy.isProxyClass(annotation.type());
	}

	private static void checkResult(LockAnnotation annotation) {
		Class<?> result = annotation.returnType();
		boolean suspending = KotlinDetector.isSuspendingFunction(annotation.method());
		if (suspending && !COROUTINES) {
			throw annotation.invalid("is a suspending function, which Spring cannot call here",
					"Add kotlin-reflect and kotlinx-coroutines-reactor.");
		}
		boolean unfollowed = suspending ? LateTypes.isLate(result) : LateTypes.isUnfollowed(result);
		Class<?> late = unfollowed ? result : LateTypes.within(declaredResult(annotation));
		if (late != null) {
			throw annotation.invalid(
					"returns %s, whose work continues after the lock was released"
						.formatted((late == result) ? late.getSimpleName()
								: "a %s with a %s".formatted(result.getSimpleName(), late.getSimpleName())),
					suspending ? "Return the complete value, or return a Flow from a function that does not suspend."
							: REACTOR
									? "Return a CompletionStage, a CompletableFuture, a publisher or the complete value."
									: "Return a CompletionStage, a CompletableFuture or the complete value, or add reactor-core to return a publisher.");
		}
		if (REACTOR && !CompletionStage.class.isAssignableFrom(result) && !ReactiveResult.canBe(result)) {
			throw annotation.invalid(
					"returns %s, which no publisher that holds the lock can replace".formatted(result.getSimpleName()),
					"Return its supertype, such as Flux, and convert that outside the method.");
		}
	}

	/** Reject a method in which AspectJ begins a thread, behind the proxy. */
	static void checkNotWoven(LockAnnotation annotation) {
		Method method = annotation.method();
		Class<?> result = method.getReturnType();
		if ((result == void.class || Future.class.isAssignableFrom(result)) && (method.isAnnotationPresent(Async.class)
				|| method.getDeclaringClass().isAnnotationPresent(Async.class))) {
			throw annotation.invalid("is @Async by AspectJ, so that its lock is released when its thread has begun",
					"Remove mode = ASPECTJ from @EnableAsync, or call a locked method of another bean in that thread.");
		}
	}

	/** Return the declared type of a method's result. */
	static ResolvableType declaredResult(LockAnnotation annotation) {
		return ResolvableType.forMethodReturnType(annotation.method(), annotation.type());
	}

	static ResultKind resultOf(LockAnnotation annotation) {
		Class<?> type = annotation.returnType();
		if (KotlinDetector.isSuspendingFunction(annotation.method())) {
			return CoroutineResult.SUSPENDING;
		}
		if (COROUTINES && type.getName().equals(LateTypes.FLOW)) {
			return CoroutineResult.FLOW;
		}
		if (CompletionStage.class.isAssignableFrom(type)) {
			return isAsync(annotation) ? DirectResult.ANY : StageResult.INSTANCE;
		}
		ResultKind publisher = publisher(type);
		if (publisher != null) {
			return publisher;
		}
		return LateTypes.isOpen(declaredResult(annotation)) ? DirectResult.ANY : DirectResult.PLAIN;
	}

	/** Return whether a method suspends, or declares to return a stage or publisher. */
	static boolean endsLater(LockAnnotation annotation) {
		return KotlinDetector.isSuspendingFunction(annotation.method()) || isFollowed(annotation);
	}

	/** Return whether a method is declared to return a stage or publisher. */
	static boolean isFollowed(LockAnnotation annotation) {
		return isStage(annotation) || isPublisher(annotation.returnType());
	}

	/** Return whether a method is declared to return a stage. */
	static boolean isStage(LockAnnotation annotation) {
		return CompletionStage.class.isAssignableFrom(annotation.returnType());
	}

	/** Return how to follow a publisher, or {@code null} if the type is none. */
	static @Nullable ResultKind publisher(Class<?> type) {
		return (REACTOR && !LateTypes.hasBegun(type)) ? ReactiveResult.of(type) : null;
	}

	static boolean isPublisher(Class<?> type) {
		return publisher(type) != null || Flow.Publisher.class.isAssignableFrom(type);
	}

	/** Return whether an {@code @Async} thread runs a method and awaits its result. */
	private static boolean isAsync(LockAnnotation annotation) {
		return Stream.of(annotation.method(), annotation.declared(), annotation.type())
			.anyMatch(
					(element) -> MergedAnnotations.from(element, SearchStrategy.TYPE_HIERARCHY).isPresent(Async.class));
	}

}
