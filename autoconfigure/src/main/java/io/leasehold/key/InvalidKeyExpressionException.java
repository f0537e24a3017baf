package io.leasehold.key;

import org.jspecify.annotations.Nullable;

/**
 * Exception at startup for a key expression that can never work.
 */
public class InvalidKeyExpressionException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private final String problem;

	private final String action;

	InvalidKeyExpressionException(String problem, String action, @Nullable Throwable cause) {
		super(problem + ". " + action, cause);
		this.problem = problem;
		this.action = action;
	}

	static InvalidKeyExpressionException of(String attribute, String text, String problem, String action) {
		return new InvalidKeyExpressionException("has %s \"%s\", which %s".formatted(attribute, text, problem), action,
				null);
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

}
