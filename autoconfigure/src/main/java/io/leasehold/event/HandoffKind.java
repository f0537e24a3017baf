package io.leasehold.event;

/**
 * Kind of a handoff of a key.
 */
public enum HandoffKind {

	/** Between two threads of this process, without the store. */
	LOCAL,

	/** By the store, from another process to this one. */
	PUSHED

}
