/**
 * Auto-configuration of the memcached engine.
 */
@NullMarked
package io.leasehold.autoconfigure.memcached;

import org.jspecify.annotations.NullMarked;
