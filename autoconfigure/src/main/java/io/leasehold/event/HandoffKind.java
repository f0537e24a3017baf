package io.leasehold.event;

/**
 * Between whom a key was handed on.
 */
public enum HandoffKind {

	/** Between two threads of this process, without the store. */
	LOCAL,

	/** By the store, from another process to this one. */
	PUSHED

}
