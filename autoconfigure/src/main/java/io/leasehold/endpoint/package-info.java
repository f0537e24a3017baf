/**
 * Actuator endpoint for operators.
 */
@NullMarked
package io.leasehold.endpoint;

import org.jspecify.annotations.NullMarked;
