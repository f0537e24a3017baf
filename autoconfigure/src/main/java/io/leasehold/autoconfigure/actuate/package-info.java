/**
 * Auto-configuration of endpoint, health, metrics and observations.
 */
@NullMarked
package io.leasehold.autoconfigure.actuate;

import org.jspecify.annotations.NullMarked;
