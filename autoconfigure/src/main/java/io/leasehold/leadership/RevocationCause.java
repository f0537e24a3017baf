package io.leasehold.leadership;

/**
 * Why a term has ended.
 */
public enum RevocationCause {

	/** The lock was lost. Another process may lead already. */
	LOST,

	/** The process stepped down. No other one leads until the listeners return. */
	STEPPED_DOWN,

	/** The application stops. No other one leads until the listeners return. */
	SHUTDOWN

}
