package io.leasehold.autoconfigure;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Explains a {@link LockEngineConfigurationException}.
 */
class LockEngineConfigurationFailureAnalyzer extends AbstractFailureAnalyzer<LockEngineConfigurationException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, LockEngineConfigurationException cause) {
		return new FailureAnalysis(cause.getDescription(), cause.getAction(), cause);
	}

}
