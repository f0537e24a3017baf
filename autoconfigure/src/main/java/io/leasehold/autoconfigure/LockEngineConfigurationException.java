package io.leasehold.autoconfigure;

/**
 * Thrown at start-up when it is not clear which engine is to be used, or the one that is
 * asked for is not there or cannot work as configured.
 */
class LockEngineConfigurationException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private final String description;

	private final String action;

	LockEngineConfigurationException(String description, String action) {
		super(description + " " + action);
		this.description = description;
		this.action = action;
	}

	String getDescription() {
		return this.description;
	}

	String getAction() {
		return this.action;
	}

}
