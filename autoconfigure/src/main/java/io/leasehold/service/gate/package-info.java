/**
 * State of the keys in use: a gate per key, with its queue, its holds and its claim at
 * the store. A gate decides and returns {@link io.leasehold.service.gate.Decision}. It
 * starts no thread and sends no request.
 */
@NullMarked
package io.leasehold.service.gate;

import org.jspecify.annotations.NullMarked;
