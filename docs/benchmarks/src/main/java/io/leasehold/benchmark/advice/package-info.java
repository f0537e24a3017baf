/**
 * Costs of the annotation on a method, on an engine without a store.
 */
@NullMarked
package io.leasehold.benchmark.advice;

import org.jspecify.annotations.NullMarked;
