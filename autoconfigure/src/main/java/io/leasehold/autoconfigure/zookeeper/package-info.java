/**
 * Auto-configuration of the ZooKeeper engine.
 */
@NullMarked
package io.leasehold.autoconfigure.zookeeper;

import org.jspecify.annotations.NullMarked;
