/**
 * Micrometer observations of locks, for tracing.
 */
@NullMarked
package io.leasehold.observation;

import org.jspecify.annotations.NullMarked;
