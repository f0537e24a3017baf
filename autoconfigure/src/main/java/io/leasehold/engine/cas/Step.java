package io.leasehold.engine.cas;

import java.util.function.LongFunction;

import org.jspecify.annotations.Nullable;

/**
 * Decision on a record: the next record to write, and the result.
 *
 * @param <T> type of the result
 * @param next the next record, or {@code null} to write nothing
 * @param optional whether the result is the same if the write fails
 * @param result creates the result from the reading of the clock before the write
 */
record Step<T>(@Nullable LockRecord next, boolean optional, LongFunction<T> result) {

	/** Return a result without a write. */
	static <T> Step<T> of(T result) {
		return new Step<>(null, true, (sent) -> result);
	}

	/** Return a result that does not depend on whether a record is written. */
	static <T> Step<T> of(T result, @Nullable LockRecord next) {
		return new Step<>(next, true, (sent) -> result);
	}

	/** Return a result of a write. */
	static <T> Step<T> write(LockRecord next, LongFunction<T> result) {
		return new Step<>(next, false, result);
	}

}
