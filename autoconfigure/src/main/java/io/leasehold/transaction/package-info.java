/**
 * What a lock owes a transaction: a release that waits for its end.
 */
@NullMarked
package io.leasehold.transaction;

import org.jspecify.annotations.NullMarked;
