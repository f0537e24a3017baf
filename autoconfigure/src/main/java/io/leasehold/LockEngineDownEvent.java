package io.leasehold;

import org.jspecify.annotations.Nullable;

/**
 * Application event for an engine whose store stopped responding. Held locks stay valid
 * until their leases end. Published once per outage, with the warning in the log, and
 * followed by a {@link LockEngineUpEvent} when the store responds again.
 *
 * @param engine the engine's name
 * @param failure the failure of the first request without a response, {@code null} if
 * unknown
 */
public record LockEngineDownEvent(String engine, @Nullable Throwable failure) {
}
