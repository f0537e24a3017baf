/**
 * Locks in ZooKeeper: ephemeral sequential nodes, the lowest of which owns the key.
 */
@NullMarked
package io.leasehold.engine.zookeeper;

import org.jspecify.annotations.NullMarked;
