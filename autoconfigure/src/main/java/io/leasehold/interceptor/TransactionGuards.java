package io.leasehold.interceptor;

import java.util.function.Supplier;

import io.leasehold.FencingGuard;
import io.leasehold.reactive.ReactiveFencingGuard;
import io.leasehold.reactive.ReactiveTransactions;
import org.jspecify.annotations.Nullable;

/**
 * Suppliers of the guards for transactions of annotated methods. The first method that
 * needs a guard requests it.
 *
 * @param fencing guard of fenced methods whose body runs in one thread
 * @param reactiveFencing guard of fenced methods that return a publisher, and of fenced
 * suspending functions
 * @param reactive transactions in which publishers and suspending functions acquire locks
 */
public record TransactionGuards(Supplier<@Nullable FencingGuard> fencing,
		Supplier<@Nullable ReactiveFencingGuard> reactiveFencing, Supplier<@Nullable ReactiveTransactions> reactive) {
}
