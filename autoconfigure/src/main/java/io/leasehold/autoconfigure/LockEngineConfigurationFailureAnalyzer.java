package io.leasehold.autoconfigure;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/**
 * Failure analysis of a {@link LockEngineConfigurationException}. Precedes that of a
 * failed binding, which would hide it.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
public class LockEngineConfigurationFailureAnalyzer extends AbstractFailureAnalyzer<LockEngineConfigurationException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, LockEngineConfigurationException cause) {
		return new FailureAnalysis(cause.getDescription(), cause.getAction(), cause);
	}

}
