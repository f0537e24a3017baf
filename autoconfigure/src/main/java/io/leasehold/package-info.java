/**
 * API of the locks: the {@link io.leasehold.DistributedLocks} bean, keys, options, held
 * locks, events and exceptions.
 */
@NullMarked
package io.leasehold;

import org.jspecify.annotations.NullMarked;
