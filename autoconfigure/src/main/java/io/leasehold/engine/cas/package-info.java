/**
 * Engine for any store that can compare and set. Implement
 * {@link io.leasehold.engine.cas.CompareAndSetStore} to add a store.
 */
@NullMarked
package io.leasehold.engine.cas;

import org.jspecify.annotations.NullMarked;
