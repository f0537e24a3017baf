package io.leasehold.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import io.leasehold.LockMode;

import org.springframework.aot.hint.annotation.Reflective;

/**
 * Runs the annotated method under a lock shared by every process that uses the same store
 * and namespace. On a class or interface it applies to each of its public methods; it can
 * be composed into annotations of your own.
 * <p>
 * The lock is a lease, renewed while the method runs. A process paused past its end may
 * run beside the next owner; where that matters, pass the
 * {@linkplain io.leasehold.HeldLock#fencingToken() fencing token} on to the resource. The
 * lock is taken before a transaction of the method begins and given back after it has
 * ended. Only calls through the Spring proxy are guarded, not those of a bean to itself.
 * <p>
 * Durations are written with their unit, as {@code 30s}, {@code 500ms} or {@code PT1M},
 * or as a placeholder. What cannot be obeyed stops the start of the application, as do
 * methods that no proxy can intercept. The lock of a method that returns a
 * {@code CompletionStage}, a {@code Mono} or a {@code Flux} is held until that ends.
 */
@Target({ ElementType.METHOD, ElementType.TYPE, ElementType.ANNOTATION_TYPE })
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
@Reflective(LockReflectiveProcessor.class)
public @interface DistributedLock {

	/**
	 * SpEL expression for the key, such as {@code "'order:' + #id"}. Parameters by name
	 * ({@code #id}) or position ({@code #p0}, {@code #a0}), the bean as {@code #target},
	 * {@code #root.method}, {@code #root.args} and {@code #root.targetClass}, other beans
	 * as {@code @name}. A list such as
	 * <code>{'account:' + #from, 'account:' + #to}</code> has a key for each of its
	 * operands, a collection or array one for each element. Null or blank results, null
	 * parts, several values and those without a {@code toString()} of their own are
	 * refused at the call; what arguments hold is never parsed.
	 */
	String key();

	/**
	 * SpEL expression that tells whether the call wants a lock at all, evaluated before
	 * the key, such as {@code "#amount > 100"}. Where it is false the method runs without
	 * a lock, and counts as such. Empty: always.
	 */
	String condition() default "";

	/**
	 * Name in metrics and messages, never evaluated. Empty: class and method, such as
	 * {@code OrderService.pay}.
	 */
	String name() default "";

	/**
	 * How long the lock outlives a silent owner. Empty: {@code leasehold.lease}.
	 */
	String lease() default "";

	/**
	 * Longest time to wait, {@code 0s} for one attempt. Empty:
	 * {@code leasehold.wait-time}.
	 */
	String waitTime() default "";

	/**
	 * Name of the engine. Empty: {@code leasehold.engine}.
	 */
	String engine() default "";

	/**
	 * Whether the lock is for one owner alone, or shared by all that take it so: a read
	 * lock beside the write lock of the same key. A shared one cannot be made exclusive
	 * by a call further in, which is refused.
	 */
	LockMode mode() default LockMode.EXCLUSIVE;

	/**
	 * How many owners may hold the key at once over all processes, each with a permit and
	 * a lease of its own, such as {@code "10"} or a placeholder. All who use the key have
	 * to say the same number: another is refused as long as a permit is held. Not
	 * together with {@link LockMode#SHARED}. Empty: no permits, one owner.
	 */
	String permits() default "";

	/**
	 * What to do when the lock is busy for the whole wait time.
	 */
	WhenBusy whenBusy() default WhenBusy.THROW;

	/**
	 * Method of the same class that is called when the lock was not had, because it was
	 * busy or the store could not be reached: with the same parameters, and optionally
	 * the {@link io.leasehold.LockException} as the last one. Not called for exceptions
	 * of the method itself. Goes before {@code leasehold.when-unavailable}, and does not
	 * go together with {@link WhenBusy#SKIP}.
	 */
	String fallback() default "";

	/**
	 * Whether the lock's fencing token guards the transactions of the body, in the
	 * application's own database: a former owner, however long it was paused, cannot
	 * commit. Needs the {@linkplain io.leasehold.FencingGuard fence table}, and no
	 * transaction that is open before, and an exclusive lock. Such a method never runs
	 * without its lock, not even by {@code leasehold.when-unavailable}.
	 */
	boolean fenced() default false;

	/**
	 * How long the key stays closed at least, counted from the grant, even when the
	 * method ends earlier. Empty: not at all.
	 */
	String minHold() default "";

	/**
	 * Longest time to hold the lock, counted from the grant. Then the lock is lost and
	 * the key becomes available, whatever the lease is; the method is notified as of any
	 * loss and may still be running. Empty: renewed while the method runs.
	 */
	String maxHold() default "";

	/**
	 * How long the key stays closed after the lease of an owner that vanished without
	 * giving it back, so that what is still under way of it comes to nothing before the
	 * next one begins. Empty: {@code leasehold.lock-delay}.
	 */
	String lockDelay() default "";

}
