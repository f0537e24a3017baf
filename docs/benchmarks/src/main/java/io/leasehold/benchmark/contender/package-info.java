/**
 * The contenders, each library used as in its manual.
 */
@NullMarked
package io.leasehold.benchmark.contender;

import org.jspecify.annotations.NullMarked;
