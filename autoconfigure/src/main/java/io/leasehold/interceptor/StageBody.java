package io.leasehold.interceptor;

import java.lang.reflect.Method;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;

import io.leasehold.HeldLock;
import io.leasehold.LockException;
import io.leasehold.service.OnLost;
import org.jspecify.annotations.Nullable;

import org.springframework.util.ReflectionUtils;

/**
 * Work under a lock that ends with a {@link CompletionStage}. The lock is closed when the
 * stage has ended. If the caller cancels its result before, the lock is marked as lost,
 * because no cancellation stops a thread. Thread-safe.
 */
final class StageBody {

	private final LockCall call;

	private final HeldLock held;

	/** Completes with the outcome once the lock is closed. */
	private final CompletableFuture<@Nullable Object> result;

	private volatile boolean ended;

	/** Whether this class cancelled the stage, whose work may continue after its end. */
	private volatile boolean stopped;

	StageBody(LockCall call, HeldLock held, CompletableFuture<@Nullable Object> result) {
		this.call = call;
		this.held = held;
		this.result = result;
		whenCancelled(result, this::lose);
	}

	/** Close the lock when the stage that the method has returned ends. */
	void follow(CompletionStage<?> stage) {
		if (this.call.locks().onLost() == OnLost.INTERRUPT) {
			this.held.onLost((loss) -> stop(stage));
		}
		if (stopsItsWork(stage)) {
			whenCancelled(this.result, () -> stop(stage));
		}
		try {
			stage.whenComplete(this::ended);
		}
		catch (RuntimeException | Error ex) {
			lose();
			this.result.completeExceptionally(ex);
		}
	}

	/** Run an action if the caller cancels its result. */
	static void whenCancelled(CompletableFuture<?> result, Runnable action) {
		result.whenComplete((value, failure) -> {
			if (result.isCancelled()) {
				action.run();
			}
		});
	}

	private void lose() {
		if (!this.ended) {
			this.call.locks().cancelled(this.held);
		}
	}

	/**
	 * Return whether a stage overrides the cancellation of {@link CompletableFuture},
	 * which stops no work and hides when it ends.
	 */
	private static boolean stopsItsWork(CompletionStage<?> stage) {
		Method cancel = (stage instanceof Future<?>)
				? ReflectionUtils.findMethod(stage.getClass(), "cancel", boolean.class) : null;
		return cancel != null && cancel.getDeclaringClass() != CompletableFuture.class;
	}

	private void stop(CompletionStage<?> stage) {
		if (stage instanceof Future<?> future) {
			this.stopped = true;
			try {
				future.cancel(true);
			}
			catch (UnsupportedOperationException ex) {
				this.stopped = false; // a minimal stage, whose end is still observed
			}
		}
	}

	private void ended(@Nullable Object value, @Nullable Throwable failure) {
		IllegalStateException refusal = this.call.operation().check().refusal(value);
		if (refusal != null) {
			lose();
			this.result.completeExceptionally(refusal);
			return;
		}
		Throwable own = (failure != null) ? unwrapped(failure) : null;
		CompletableFuture<Void> closing;
		if (this.stopped && own instanceof CancellationException) {
			lose();
			closing = loss();
		}
		else {
			this.ended = true;
			closing = this.call.locks().closeAsync(this.held, this.call.operation().options());
		}
		closing.whenComplete((closed, loss) -> end(value, own, (loss != null) ? unwrapped(loss) : null));
	}

	private CompletableFuture<Void> loss() {
		try {
			this.held.throwIfLost();
			return CompletableFuture.completedFuture(null);
		}
		catch (LockException ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	/** Complete the result. A failed close is suppressed in the method's own failure. */
	private void end(@Nullable Object value, @Nullable Throwable own, @Nullable Throwable closing) {
		if (own != null && !(own instanceof CancellationException && closing != null)) {
			if (closing != null) {
				own.addSuppressed(closing);
			}
			this.result.completeExceptionally(own);
		}
		else if (closing != null) {
			this.result.completeExceptionally(closing);
		}
		else {
			this.result.complete(value);
		}
	}

	static Throwable unwrapped(Throwable failure) {
		return (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause() : failure;
	}

}
