/**
 * Observations of locks, for tracing, by Micrometer.
 */
@NullMarked
package io.leasehold.observation;

import org.jspecify.annotations.NullMarked;
