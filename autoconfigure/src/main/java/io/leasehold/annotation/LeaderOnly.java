package io.leasehold.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.core.annotation.AliasFor;

/**
 * Annotation of methods that run only on the leader in a role of
 * {@code leasehold.leadership.roles}, under the lock of its term. On another instance the
 * fallback is called, or else the method is skipped and returns {@code null} or an empty
 * {@code Optional}, which looks like success: a fallback that throws the
 * {@link io.leasehold.LockException} tells the caller. No request is sent. No other
 * instance leads before the method has ended, unless the lock is lost. For the rest, the
 * rules of {@link DistributedLock} apply, with which it cannot be combined on one method.
 */
@Target({ ElementType.METHOD, ElementType.TYPE, ElementType.ANNOTATION_TYPE })
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
@DistributedLock(key = "'the key of the role replaces this one'")
public @interface LeaderOnly {

	/** Name of the role, or a placeholder. */
	String value();

	/**
	 * Name in messages, never evaluated. Empty: class and method, such as
	 * {@code Billing.sendInvoices}.
	 */
	@AliasFor(annotation = DistributedLock.class)
	String name() default "";

	/**
	 * Method of the same class that is called on instances that do not lead. It has the
	 * same parameters and optionally the {@link io.leasehold.LockException} as the last
	 * one.
	 */
	@AliasFor(annotation = DistributedLock.class)
	String fallback() default "";

	/**
	 * Whether the term guards the method's transactions in the application's own
	 * database: a former leader cannot commit, however long it was paused.
	 * @see DistributedLock#fenced()
	 */
	@AliasFor(annotation = DistributedLock.class)
	boolean fenced() default false;

}
