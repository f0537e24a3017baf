/**
 * Locks in memcached.
 */
@NullMarked
package io.leasehold.engine.memcached;

import org.jspecify.annotations.NullMarked;
