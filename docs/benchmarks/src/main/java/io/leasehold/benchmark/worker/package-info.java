/**
 * What runs in the JVMs of the contenders, and what they tell of it.
 */
@NullMarked
package io.leasehold.benchmark.worker;

import org.jspecify.annotations.NullMarked;
