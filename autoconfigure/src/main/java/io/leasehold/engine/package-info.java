/**
 * What a lock needs from a store. Implement {@link io.leasehold.engine.LockEngine} to add
 * one.
 */
@NullMarked
package io.leasehold.engine;

import org.jspecify.annotations.NullMarked;
