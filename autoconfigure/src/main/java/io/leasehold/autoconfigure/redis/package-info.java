/**
 * Auto-configuration of the Redis engine.
 */
@NullMarked
package io.leasehold.autoconfigure.redis;

import org.jspecify.annotations.NullMarked;
