/**
 * The servers, and what they count.
 */
@NullMarked
package io.leasehold.benchmark.store;

import org.jspecify.annotations.NullMarked;
