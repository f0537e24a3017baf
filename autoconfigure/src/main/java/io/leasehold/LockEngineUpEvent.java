package io.leasehold;

import java.time.Duration;

/**
 * Application event for an engine whose store responds again.
 *
 * @param engine the engine's name
 * @param outage time since the first request that had no response
 */
public record LockEngineUpEvent(String engine, Duration outage) {
}
