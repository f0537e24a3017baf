/**
 * Tasks that run in the JVMs of the contenders, and their results.
 */
@NullMarked
package io.leasehold.benchmark.worker;

import org.jspecify.annotations.NullMarked;
