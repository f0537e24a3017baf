/**
 * Whether the stores give locks.
 */
@NullMarked
package io.leasehold.health;

import org.jspecify.annotations.NullMarked;
