/**
 * Auto-configuration of the Redlock engine.
 */
@NullMarked
package io.leasehold.autoconfigure.redlock;

import org.jspecify.annotations.NullMarked;
