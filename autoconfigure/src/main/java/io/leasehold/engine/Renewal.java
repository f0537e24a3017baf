package io.leasehold.engine;

import java.time.Duration;

/**
 * Request to extend a grant.
 *
 * @param claim the claim that was granted
 * @param number number of the grant
 * @param lease new lease, counted by the store from when it executes the request; never
 * shortens what is left
 */
public record Renewal(Claim claim, long number, Duration lease) {
}
