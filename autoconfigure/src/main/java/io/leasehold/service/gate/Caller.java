package io.leasehold.service.gate;

import java.util.List;

import io.leasehold.LockOptions;
import io.leasehold.event.AcquisitionListener;
import org.jspecify.annotations.Nullable;

/**
 * Caller of an acquisition.
 */
interface Caller {

	LockOptions options();

	/** Return the thread that acquires and waits, {@code null} for an async caller. */
	@Nullable Thread thread();

	/**
	 * Return whether the handle stays with its thread, so that the hold ends when the
	 * thread dies.
	 */
	boolean isBound();

	List<AcquisitionListener> followers();

}
