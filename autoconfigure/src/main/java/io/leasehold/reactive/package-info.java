/**
 * Locks in the context of Reactor's subscriptions.
 */
@NullMarked
package io.leasehold.reactive;

import org.jspecify.annotations.NullMarked;
