/**
 * Engine with locks in Redis: a queue per key with direct handoff between processes. Only
 * the auto-configuration uses this package.
 */
@NullMarked
package io.leasehold.engine.redis;

import org.jspecify.annotations.NullMarked;
