/**
 * Renewal of leases by a watchdog per engine.
 */
@NullMarked
package io.leasehold.service.renewal;

import org.jspecify.annotations.NullMarked;
