package io.leasehold.service.gate;

import java.util.List;

import io.leasehold.LockOptions;
import io.leasehold.event.AcquisitionListener;
import org.jspecify.annotations.Nullable;

/**
 * The caller that acquires a hold.
 */
interface Caller {

	LockOptions options();

	/** The thread that acquires and waits, if there is one. */
	@Nullable Thread thread();

	/**
	 * Whether the handle stays with its thread, so that the hold ends when the thread
	 * dies.
	 */
	boolean isBound();

	/** Listeners that follow the acquisition. */
	List<AcquisitionListener> followers();

	/** Notify the caller that there is a result. Does not block. */
	void wake();

}
