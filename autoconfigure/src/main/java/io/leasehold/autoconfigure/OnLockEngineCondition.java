package io.leasehold.autoconfigure;

import io.leasehold.engine.local.LocalLockEngine;

import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;
import org.springframework.util.StringUtils;

/**
 * Condition that matches if an engine is enabled.
 *
 * @see ConditionalOnLockEngine
 */
class OnLockEngineCondition extends SpringBootCondition {

	@Override
	public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
		MergedAnnotation<ConditionalOnLockEngine> annotation = metadata.getAnnotations()
			.get(ConditionalOnLockEngine.class);
		String engine = annotation.getString(MergedAnnotation.VALUE);
		ConditionMessage.Builder message = ConditionMessage.forCondition(ConditionalOnLockEngine.class, engine);
		Environment environment = context.getEnvironment();
		if (!environment.getProperty("leasehold.enabled", Boolean.class, true)) {
			return new ConditionOutcome(engine.equals(LocalLockEngine.NAME),
					message.because("leasehold.enabled is false"));
		}
		String named = environment.getProperty("leasehold.engine");
		if (engine.equals(named)) {
			return ConditionOutcome.match(message.because("leasehold.engine names it"));
		}
		String switchName = "leasehold." + engine + ".enabled";
		Boolean wanted = environment.getProperty(switchName, Boolean.class);
		if (wanted != null) {
			return new ConditionOutcome(wanted, message.because(switchName + " is " + wanted));
		}
		if (StringUtils.hasText(named)) {
			return ConditionOutcome.noMatch(message.because("leasehold.engine is '" + named + "'"));
		}
		return new ConditionOutcome(!annotation.getBoolean("onlyIfNamed"),
				message.because("leasehold.engine is not set"));
	}

}
