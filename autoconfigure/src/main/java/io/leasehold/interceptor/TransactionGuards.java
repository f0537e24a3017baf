package io.leasehold.interceptor;

import java.util.function.Supplier;

import io.leasehold.FencingGuard;
import io.leasehold.reactive.ReactiveFencingGuard;
import io.leasehold.reactive.ReactiveTransactions;
import org.jspecify.annotations.Nullable;

/**
 * Suppliers of what guards the transactions of annotated methods. Each is used not before
 * the first method that needs it.
 *
 * @param fencing guard of fenced methods whose body runs in one thread
 * @param reactiveFencing guard of fenced methods that return a publisher
 * @param reactive transactions in which publishers acquire locks
 */
public record TransactionGuards(Supplier<@Nullable FencingGuard> fencing,
		Supplier<@Nullable ReactiveFencingGuard> reactiveFencing, Supplier<@Nullable ReactiveTransactions> reactive) {
}
