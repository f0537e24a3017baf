package io.leasehold.service;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.UnaryOperator;

import io.leasehold.HeldLock;
import io.leasehold.LockKey;
import io.leasehold.LockKeys;
import org.jspecify.annotations.Nullable;

/**
 * Non-blocking acquisition of several locks, one after the other: all of them, or none.
 *
 * @param one acquires one of them
 * @param explanation completes a failure after all locks are closed; may block
 * @param executor runs it and user code
 */
record AsyncHeldLocks(Iterator<LockKey> keys, Function<LockKey, CompletableFuture<HeldLock>> one,
		Function<HeldLock, CompletableFuture<Void>> closing, UnaryOperator<Throwable> explanation, Executor executor,
		List<HeldLock> taken, CompletableFuture<HeldLock> result) {

	/**
	 * Begin to acquire locks. Completing or cancelling the result ends the wait and
	 * closes the locks.
	 */
	static CompletableFuture<HeldLock> take(LockKeys keys, Function<LockKey, CompletableFuture<HeldLock>> one,
			Function<HeldLock, CompletableFuture<Void>> closing, UnaryOperator<Throwable> explanation,
			Executor executor) {
		AsyncHeldLocks locks = new AsyncHeldLocks(keys.all().iterator(), one, closing, explanation, executor,
				new ArrayList<>(keys.all().size()), new CompletableFuture<>());
		locks.takeNext();
		return locks.result;
	}

	private void takeNext() {
		if (!this.keys.hasNext() || this.result.isDone()) {
			finish();
			return;
		}
		CompletableFuture<HeldLock> next = this.one.apply(this.keys.next());
		this.result.whenComplete((held, failure) -> next.cancel(false));
		next.whenCompleteAsync(this::decided, this.executor);
	}

	private void decided(@Nullable HeldLock held, @Nullable Throwable failure) {
		if (held != null) {
			this.taken.add(held);
			takeNext();
		}
		else if (failure != null) {
			fail(HeldLocks.unwrapped(failure));
		}
	}

	private void finish() {
		try {
			HeldLock all = HeldLocks.of(this.taken);
			if (!this.result.complete(all)) {
				HeldLocks.closeAll(this.taken, new CancellationException(), this.closing);
			}
		}
		catch (RuntimeException ex) {
			fail(ex);
		}
	}

	private void fail(Throwable failure) {
		HeldLocks.closeAll(this.taken, failure, this.closing)
			.whenCompleteAsync((closed, ex) -> this.result.completeExceptionally(this.explanation.apply(failure)),
					this.executor);
	}

}
