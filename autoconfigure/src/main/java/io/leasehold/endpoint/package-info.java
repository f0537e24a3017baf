/**
 * Actuator endpoint for those who operate an application.
 */
@NullMarked
package io.leasehold.endpoint;

import org.jspecify.annotations.NullMarked;
