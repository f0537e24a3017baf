/**
 * Lock events and their listeners.
 */
@NullMarked
package io.leasehold.event;

import org.jspecify.annotations.NullMarked;
