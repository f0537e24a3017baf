package io.leasehold.service;

/**
 * Form or time of a lock that its engine does not support.
 *
 * @param problem such as {@code permits, which engine 'stub' does not support}
 * @param remedy how to do without it, such as {@code Omit the permits}
 */
public record UnsupportedForm(String problem, String remedy) {

	/** Return problem and remedy in two sentences. */
	@Override
	public String toString() {
		return "%s. %s, or use another engine".formatted(this.problem, this.remedy);
	}

}
