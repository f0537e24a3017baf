/**
 * What the annotation costs on a method, on an engine without a store to wait for.
 */
@NullMarked
package io.leasehold.benchmark.advice;

import org.jspecify.annotations.NullMarked;
