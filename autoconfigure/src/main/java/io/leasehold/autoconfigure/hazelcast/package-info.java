/**
 * Auto-configuration of the Hazelcast engine.
 */
@NullMarked
package io.leasehold.autoconfigure.hazelcast;

import org.jspecify.annotations.NullMarked;
