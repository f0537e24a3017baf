/**
 * Engine with locks in Redis: a queue per key with direct handoff between processes. Its
 * connections are in a package below. Only the auto-configuration uses this package.
 */
@NullMarked
package io.leasehold.engine.redis;

import org.jspecify.annotations.NullMarked;
