package io.leasehold.autoconfigure;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.context.annotation.Conditional;

/**
 * Condition that matches if a property is true, in each spelling that the binding of
 * properties accepts, such as {@code on} or {@code 1}. Spring Boot's conditions know
 * {@code true} only: a lock that a bound property reports as enabled could be missing.
 */
@Target({ ElementType.TYPE, ElementType.METHOD })
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Conditional(OnSwitchCondition.class)
public @interface ConditionalOnSwitch {

	/** Name of the property. */
	String value();

	/** Whether the condition matches if the property is not set. */
	boolean matchIfMissing() default false;

}
