package io.leasehold.endpoint;

import java.util.List;

import io.leasehold.LockPage;
import org.jspecify.annotations.Nullable;

/**
 * Response of the endpoint for the locks of all processes.
 *
 * @param held a page of the held locks, from the store; empty if the store did not
 * respond, and may be empty although others follow
 * @param next value of the parameter {@code after} for the next page, {@code null} after
 * the last page; that of this request if the store did not respond
 * @param failure why the store did not respond, {@code null} if it did
 */
public record HeldDescriptor(String engine, List<Entry> held, @Nullable String next, @Nullable String failure) {

	/**
	 * Held lock.
	 *
	 * @param holders its holders in any process, in the order of their grants
	 */
	public record Entry(String key, List<LockDescriptor.Holder> holders) {

		static Entry of(LockPage.Entry held) {
			return new Entry(held.key(), held.holders().stream().map(LockDescriptor.Holder::of).toList());
		}

	}

}
