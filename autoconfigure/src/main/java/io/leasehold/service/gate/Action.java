package io.leasehold.service.gate;

/**
 * Decision of a gate that needs no object of its own.
 */
public enum Action implements Actions {

	NONE,

	/** Removal of the gate, which is out of use. */
	REMOVE,

	/** Release of the claim of the closed hold. */
	RELEASE,

	/** Plan of the return of a grant that was parked for the first time. */
	PARKED,

	/** Extension of the grant, before it can be passed on. */
	EXTEND;

	@Override
	public boolean removesGate() {
		return this == REMOVE;
	}

}
