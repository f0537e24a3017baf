/**
 * Locks for ShedLock.
 */
@NullMarked
package io.leasehold.shedlock;

import org.jspecify.annotations.NullMarked;
