package io.leasehold.interceptor;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

import io.leasehold.HeldLock;
import io.leasehold.HeldLockScope;
import io.leasehold.LockException;
import io.leasehold.LockKeys;
import org.jspecify.annotations.Nullable;

/**
 * Result that is a {@link CompletionStage}. The caller receives its stage immediately.
 * One of the {@link BodyThreads} calls the method when the lock is acquired. The lock is
 * held until the method's own stage has ended. Completing the caller's stage ends the
 * wait. Cancelling it later marks the lock as lost.
 */
enum StageResult implements ResultKind {

	INSTANCE;

	@Override
	public Object invoke(LockCall call) {
		CompletableFuture<@Nullable Object> result = new CompletableFuture<>();
		try {
			begin(call.again(), result);
		}
		catch (Throwable ex) {
			result.completeExceptionally(ex);
		}
		return result;
	}

	private static void begin(LockCall call, CompletableFuture<@Nullable Object> result) {
		LockKeys keys = call.keys();
		if (keys == null) {
			follow(proceed(call), result);
			return;
		}
		UnaryOperator<Runnable> context = BodyThreads.context();
		CompletableFuture<HeldLock> acquisition = call.locks()
			.acquireAllAsync(keys, call.operation().options(), HeldLockScope.held(), call.operation().bypassed());
		result.whenComplete((value, failure) -> acquisition.cancel(true));
		acquisition.whenComplete((held, failure) -> {
			if (held != null) {
				execute(call, context, () -> underLock(call, held, result), (rejection) -> {
					call.locks().closeAsync(held, call.operation().options());
					result.completeExceptionally(rejection);
				});
			}
			else if (failure != null) {
				execute(call, context, () -> withoutLock(call, StageBody.unwrapped(failure), result),
						result::completeExceptionally);
			}
		});
	}

	/** Begin some work in another thread, or report why it could not begin. */
	private static void execute(LockCall call, UnaryOperator<Runnable> context, Runnable work,
			Consumer<Throwable> rejected) {
		AtomicBoolean begun = new AtomicBoolean();
		Runnable task = context.apply(() -> {
			begun.set(true);
			work.run();
		});
		run(() -> call.threads().execute(() -> run(task, begun, rejected)), begun, rejected);
	}

	private static void run(Runnable step, AtomicBoolean begun, Consumer<Throwable> rejected) {
		try {
			step.run();
		}
		catch (RuntimeException | Error ex) {
			if (begun.get()) {
				throw ex; // such as when the thread's former context is restored
			}
			rejected.accept(ex);
		}
	}

	@SuppressWarnings("try")
	private static void underLock(LockCall call, HeldLock held, CompletableFuture<@Nullable Object> result) {
		if (result.isDone()) {
			call.locks().closeAsync(held, call.operation().options());
			return;
		}
		StageBody body = new StageBody(call, held, result);
		CompletionStage<?> stage;
		try (HeldLockScope scope = call.enter(held)) {
			stage = proceed(call);
		}
		catch (RuntimeException | Error ex) {
			stage = CompletableFuture.failedStage(ex);
		}
		body.follow(stage);
	}

	private static void withoutLock(LockCall call, Throwable reason, CompletableFuture<@Nullable Object> result) {
		if (!call.hasAlternative(reason)) {
			result.completeExceptionally(reason);
			return;
		}
		try {
			Object alternative = call.withoutLock((LockException) reason);
			if (alternative instanceof CompletionStage<?> stage) {
				follow(stage, result);
			}
			else {
				result.complete(alternative);
			}
		}
		catch (Throwable ex) {
			result.completeExceptionally(ex);
		}
	}

	/** Call the method. An exception that it throws becomes a failed stage. */
	private static CompletionStage<?> proceed(LockCall call) {
		try {
			Object stage = call.proceed();
			return (stage != null) ? (CompletionStage<?>) stage : CompletableFuture.completedStage(null);
		}
		catch (Throwable ex) {
			return CompletableFuture.failedStage(ex);
		}
	}

	private static void follow(CompletionStage<?> stage, CompletableFuture<@Nullable Object> result) {
		if (stage instanceof Future<?> future) {
			StageBody.whenCancelled(result, () -> future.cancel(true));
		}
		stage.whenComplete((value, failure) -> {
			if (failure != null) {
				result.completeExceptionally(StageBody.unwrapped(failure));
			}
			else {
				result.complete(value);
			}
		});
	}

}
