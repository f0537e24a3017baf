package io.leasehold.service;

import java.util.List;
import java.util.function.Predicate;

import io.leasehold.HeldLock;
import io.leasehold.LockException;

/**
 * Caller of a non-blocking acquisition of one key, as it was when it called. Another
 * thread may begin the acquisition.
 *
 * @param thread name of its thread
 * @param outer locks under which it runs, innermost first
 * @param bypassed whether it continues without the lock after an exception
 * @param releases executor of the release
 */
record AsyncCaller(String thread, List<HeldLock> outer, Predicate<LockException> bypassed,
		ReleaseTiming.Releases releases) {
}
