/**
 * Health of the lock engines.
 */
@NullMarked
package io.leasehold.health;

import org.jspecify.annotations.NullMarked;
