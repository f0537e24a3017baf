/**
 * Locks in a map of Hazelcast.
 */
@NullMarked
package io.leasehold.engine.hazelcast;

import org.jspecify.annotations.NullMarked;
