/**
 * Renewal of the leases of all that is held.
 */
@NullMarked
package io.leasehold.service.renewal;

import org.jspecify.annotations.NullMarked;
