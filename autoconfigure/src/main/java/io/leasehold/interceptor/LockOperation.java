package io.leasehold.interceptor;

import io.leasehold.FencingGuard;
import io.leasehold.LockOptions;
import io.leasehold.annotation.WhenBusy;
import io.leasehold.key.KeyExpression;
import io.leasehold.key.LockCondition;
import org.jspecify.annotations.Nullable;

/**
 * What an annotation says, resolved and checked.
 *
 * @param options how the lock is taken and held, with its name and engine
 * @param key the key's expression
 * @param condition tells whether a call wants a lock, if not all do
 * @param whenBusy what to do when the lock is busy
 * @param fallback what to call when the lock was not had, if anything
 * @param result when the result is there
 * @param fencing guards the transactions of the body, if anything does
 */
record LockOperation(LockOptions options, KeyExpression key, @Nullable LockCondition condition, WhenBusy whenBusy,
		@Nullable Fallback fallback, ResultKind result, @Nullable FencingGuard fencing) {
}
