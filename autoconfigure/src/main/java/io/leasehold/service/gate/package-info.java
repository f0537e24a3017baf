/**
 * State of the keys in use: a gate for each, with its queue, its holds and its claim at
 * the store. A gate decides and returns {@link io.leasehold.service.gate.Actions};
 * nothing here starts a thread or sends a request.
 */
@NullMarked
package io.leasehold.service.gate;

import org.jspecify.annotations.NullMarked;
