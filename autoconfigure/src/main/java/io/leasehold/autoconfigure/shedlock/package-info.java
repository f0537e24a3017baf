/**
 * Auto-configuration of locks for ShedLock.
 */
@NullMarked
package io.leasehold.autoconfigure.shedlock;

import org.jspecify.annotations.NullMarked;
