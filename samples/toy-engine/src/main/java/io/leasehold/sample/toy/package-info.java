/**
 * A store that is useful only to show what a store has to do.
 */
@NullMarked
package io.leasehold.sample.toy;

import org.jspecify.annotations.NullMarked;
