package io.leasehold.interceptor;

import java.util.function.Predicate;

import io.leasehold.FencingGuard;
import io.leasehold.LockException;
import io.leasehold.LockOptions;
import io.leasehold.key.KeyExpression;
import io.leasehold.key.LockCondition;
import io.leasehold.leadership.Leadership;
import io.leasehold.reactive.ReactiveFencingGuard;
import io.leasehold.reactive.ReactiveTransactions;
import org.jspecify.annotations.Nullable;

/**
 * Resolved and checked attributes of an annotation.
 *
 * @param options how to acquire and hold the lock, with its name and engine
 * @param key the key's expression
 * @param condition decides whether a call acquires the lock, if not all calls do
 * @param fallback method to call if the lock could not be acquired, if there is one
 * @param bypassed whether a call is skipped or runs unlocked, without the exception
 * @param skipped result of a skipped call
 * @param result kind of the method's result
 * @param check check of the method's values
 * @param fencing guard of the body's transactions, if the method is fenced
 * @param reactiveFencing guard of the publisher's transactions, if the method is fenced
 * @param transactions transactions in which a publisher acquires its lock, if the
 * application has reactive ones
 * @param leadership the role whose leader alone runs the method, if it has one
 */
record LockOperation(LockOptions options, KeyExpression key, @Nullable LockCondition condition,
		@Nullable Fallback fallback, Predicate<LockException> bypassed, @Nullable Object skipped, ResultKind result,
		ValueCheck check, @Nullable FencingGuard fencing, @Nullable ReactiveFencingGuard reactiveFencing,
		@Nullable ReactiveTransactions transactions, @Nullable Leadership leadership) {
}
