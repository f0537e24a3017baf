/**
 * Engine with locks in etcd: keys on leases, in the order of their creation; the first
 * hold the lock.
 */
@NullMarked
package io.leasehold.engine.etcd;

import org.jspecify.annotations.NullMarked;
