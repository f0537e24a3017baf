/**
 * Connections of the Redis engine: servers and their topology, client libraries, requests
 * and their failures. Knows nothing of locks.
 */
@NullMarked
package io.leasehold.engine.redis.connection;

import org.jspecify.annotations.NullMarked;
