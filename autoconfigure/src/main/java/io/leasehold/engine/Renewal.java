package io.leasehold.engine;

import java.time.Duration;

/**
 * Request to extend a grant.
 *
 * @param claim the claim that was granted
 * @param number the grant number
 * @param lease new lease, counted by the store from when it executes the request; never
 * shortens the remaining lease
 */
public record Renewal(Claim claim, long number, Duration lease) {
}
