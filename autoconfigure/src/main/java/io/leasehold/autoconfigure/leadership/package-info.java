/**
 * Auto-configuration of leadership.
 */
@NullMarked
package io.leasehold.autoconfigure.leadership;

import org.jspecify.annotations.NullMarked;
