package io.leasehold.autoconfigure;

import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Condition that matches if a property is true.
 *
 * @see ConditionalOnSwitch
 */
class OnSwitchCondition extends SpringBootCondition {

	@Override
	public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
		MergedAnnotation<ConditionalOnSwitch> annotation = metadata.getAnnotations().get(ConditionalOnSwitch.class);
		String property = annotation.getString(MergedAnnotation.VALUE);
		Boolean on = context.getEnvironment().getProperty(property, Boolean.class);
		return new ConditionOutcome((on != null) ? on : annotation.getBoolean("matchIfMissing"),
				ConditionMessage.forCondition(ConditionalOnSwitch.class, property)
					.because("it is " + ((on != null) ? on : "not set")));
	}

}
