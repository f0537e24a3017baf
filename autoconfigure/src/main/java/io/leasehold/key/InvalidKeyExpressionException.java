package io.leasehold.key;

import org.jspecify.annotations.Nullable;

/**
 * Exception at startup for a key expression that can never work.
 */
public class InvalidKeyExpressionException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private final String problem;

	private final String action;

	private final boolean missingParameter;

	InvalidKeyExpressionException(String problem, String action, @Nullable Throwable cause) {
		this(problem, action, false, cause);
	}

	private InvalidKeyExpressionException(String problem, String action, boolean missingParameter,
			@Nullable Throwable cause) {
		super(problem + ". " + action, cause);
		this.problem = problem;
		this.action = action;
		this.missingParameter = missingParameter;
	}

	static InvalidKeyExpressionException of(String attribute, String text, String problem, String action) {
		return new InvalidKeyExpressionException("has %s \"%s\", which %s".formatted(attribute, text, problem), action,
				null);
	}

	static InvalidKeyExpressionException ofMissingParameter(String attribute, String text, String name, String action) {
		return new InvalidKeyExpressionException("has %s \"%s\", which uses #%s, but the method has no parameter '%s'"
			.formatted(attribute, text, name, name), action, true, null);
	}

	/**
	 * Return the problem, as a predicate whose subject is the method.
	 * @return a clause without a full stop
	 */
	public String getProblem() {
		return this.problem;
	}

	/** Return how to correct the expression, in a sentence. */
	public String getAction() {
		return this.action;
	}

	/** Return whether the method lacks a parameter that the expression uses. */
	public boolean isMissingParameter() {
		return this.missingParameter;
	}

}
