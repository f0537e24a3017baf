package io.leasehold.autoconfigure;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.context.annotation.Conditional;

/**
 * Condition that matches if an engine is enabled: {@code leasehold.engine} names it,
 * {@code leasehold.<name>.enabled} adds it to the default engine, or no engine is named.
 * The annotated class has to check that the client is present and configured, with
 * {@code @ConditionalOnClass} and {@code @ConditionalOnBean}.
 * <p>
 * With {@code leasehold.enabled=false} only the local engine is enabled.
 */
@Target({ ElementType.TYPE, ElementType.METHOD })
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Conditional(OnLockEngineCondition.class)
public @interface ConditionalOnLockEngine {

	/** Name of the engine, as in {@link io.leasehold.engine.LockEngine#name()}. */
	String value();

	/**
	 * Whether the engine must be named, by {@code leasehold.engine} or
	 * {@code leasehold.<name>.enabled}, since its locks promise less than those of the
	 * other engines.
	 */
	boolean onlyIfNamed() default false;

}
