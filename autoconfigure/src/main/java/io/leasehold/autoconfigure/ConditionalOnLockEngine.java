package io.leasehold.autoconfigure;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.context.annotation.Conditional;

/**
 * Matches when an engine is wanted: {@code leasehold.engine} names it, or
 * {@code leasehold.<name>.enabled} asks for it beside the default one, or no engine is
 * named at all. That its client is there and configured is for the annotated class to
 * demand, by {@code @ConditionalOnClass} and {@code @ConditionalOnBean}.
 * <p>
 * With {@code leasehold.enabled=false} only the local engine is wanted.
 */
@Target({ ElementType.TYPE, ElementType.METHOD })
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Conditional(OnLockEngineCondition.class)
@interface ConditionalOnLockEngine {

	/** Name of the engine, as in {@link io.leasehold.engine.LockEngine#name()}. */
	String value();

}
