/**
 * Words shared by all layers: keys, options, held locks, exceptions, and the
 * {@link io.leasehold.DistributedLocks} bean for programmatic use.
 */
@NullMarked
package io.leasehold;

import org.jspecify.annotations.NullMarked;
