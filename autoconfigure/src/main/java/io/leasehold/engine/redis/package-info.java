/**
 * The lock engine on Redis: a queue per key with direct handoff between processes. Its
 * only user is the wiring.
 */
@NullMarked
package io.leasehold.engine.redis;

import org.jspecify.annotations.NullMarked;
