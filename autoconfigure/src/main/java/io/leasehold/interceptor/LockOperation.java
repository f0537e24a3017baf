package io.leasehold.interceptor;

import io.leasehold.LockOptions;
import io.leasehold.annotation.WhenBusy;
import io.leasehold.key.KeyExpression;
import org.jspecify.annotations.Nullable;

/**
 * What an annotation says, resolved and checked.
 *
 * @param options how the lock is taken and held, with its name and engine
 * @param key the key's expression
 * @param whenBusy what to do when the lock is busy
 * @param fallback what to call when the lock was not had, if anything
 */
record LockOperation(LockOptions options, KeyExpression key, WhenBusy whenBusy, @Nullable Fallback fallback) {
}
