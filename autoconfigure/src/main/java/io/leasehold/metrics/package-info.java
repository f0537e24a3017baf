/**
 * Micrometer meters of locks.
 */
@NullMarked
package io.leasehold.metrics;

import org.jspecify.annotations.NullMarked;
