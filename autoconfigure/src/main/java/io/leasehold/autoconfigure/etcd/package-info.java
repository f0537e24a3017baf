/**
 * Auto-configuration of the etcd engine.
 */
@NullMarked
package io.leasehold.autoconfigure.etcd;

import org.jspecify.annotations.NullMarked;
