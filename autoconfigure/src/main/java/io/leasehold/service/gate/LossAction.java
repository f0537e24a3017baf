package io.leasehold.service.gate;

import java.lang.ref.WeakReference;
import java.util.function.Consumer;

import io.leasehold.LockLostException;

/**
 * Action of a handle for the loss of its hold. It does not keep the handle reachable.
 */
record LossAction(WeakReference<Object> handle, Consumer<LockLostException> action) {
}
