/**
 * SPI of stores. Implement {@link io.leasehold.engine.LockEngine} to add a store.
 */
@NullMarked
package io.leasehold.engine;

import org.jspecify.annotations.NullMarked;
