/**
 * Auto-configuration of fenced methods.
 */
@NullMarked
package io.leasehold.autoconfigure.fencing;

import org.jspecify.annotations.NullMarked;
