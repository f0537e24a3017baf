/**
 * Locks in the Reactor context.
 */
@NullMarked
package io.leasehold.reactive;

import org.jspecify.annotations.NullMarked;
