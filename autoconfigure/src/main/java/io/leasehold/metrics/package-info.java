/**
 * Meters of locks, by Micrometer.
 */
@NullMarked
package io.leasehold.metrics;

import org.jspecify.annotations.NullMarked;
