/**
 * Costs of locks: of this library, of others, and of bare calls to the same stores.
 */
@NullMarked
package io.leasehold.benchmark;

import org.jspecify.annotations.NullMarked;
