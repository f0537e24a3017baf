/**
 * The demonstration: buyers, and the page with holders and waiters.
 */
@NullMarked
package io.leasehold.sample.show;

import org.jspecify.annotations.NullMarked;
