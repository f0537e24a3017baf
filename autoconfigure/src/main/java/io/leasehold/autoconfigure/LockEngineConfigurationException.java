package io.leasehold.autoconfigure;

/**
 * Exception at startup if the engine is ambiguous, missing or misconfigured.
 */
public class LockEngineConfigurationException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private final String description;

	private final String action;

	public LockEngineConfigurationException(String description, String action) {
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
