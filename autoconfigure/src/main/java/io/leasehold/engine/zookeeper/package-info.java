/**
 * Engine with locks in ZooKeeper: ephemeral sequential nodes; the first hold the key.
 */
@NullMarked
package io.leasehold.engine.zookeeper;

import org.jspecify.annotations.NullMarked;
