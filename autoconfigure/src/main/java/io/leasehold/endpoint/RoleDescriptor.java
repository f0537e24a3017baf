package io.leasehold.endpoint;

import java.time.Instant;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Response of the endpoint for one role.
 *
 * @param leads whether this process leads
 * @param term number of its term, as a string; {@code null} if it does not lead
 * @param since time at which its term began, {@code null} if it does not lead
 * @param leaders who leads, from the store: one process or none; {@code null} if the
 * store was not queried or did not respond
 * @param failure why the store did not respond, {@code null} if it did
 */
public record RoleDescriptor(String role, boolean leads, @Nullable String term, @Nullable Instant since,
		@Nullable List<LockDescriptor.Holder> leaders, @Nullable String failure) {
}
