package io.leasehold.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import io.leasehold.LockMode;
import io.leasehold.LockScope;

import org.springframework.aot.hint.annotation.Reflective;

/**
 * Annotation of methods that run under a lock, shared by all processes with the same
 * store and namespace. On a class or interface it applies to each public method. It can
 * be used as a meta-annotation.
 * <p>
 * The lock is a lease that is renewed while the method runs. If the process is paused
 * past its end, the method may run concurrently with the next owner. If that matters,
 * pass the {@linkplain io.leasehold.HeldLock#fencingToken() fencing token} to the
 * resource. The lock is acquired before a transaction of the method begins and released
 * after it has ended. Only calls through the Spring proxy are guarded, not calls of a
 * bean to itself.
 * <p>
 * Durations have a unit, as in {@code 30s}, {@code 500ms} or {@code PT1M}, or are
 * placeholders. An invalid annotation, or a method that no proxy can intercept, fails
 * startup. The lock of a method that returns a {@code CompletionStage}, a {@code Mono} or
 * a {@code Flux} is held until that ends.
 */
@Target({ ElementType.METHOD, ElementType.TYPE, ElementType.ANNOTATION_TYPE })
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
@Reflective(LockReflectiveProcessor.class)
public @interface DistributedLock {

	/**
	 * SpEL expression for the key, such as {@code "'order:' + #id"}. It may use
	 * parameters by name ({@code #id}) or position ({@code #p0}, {@code #a0}), the bean
	 * as {@code #target}, {@code #root.method}, {@code #root.args},
	 * {@code #root.targetClass} and other beans as {@code @name}. Placeholders such as
	 * <code>'${app.region}:' + #id</code> are resolved at startup, to text. A list such
	 * as <code>{'account:' + #from, 'account:' + #to}</code> has one key per operand, a
	 * collection or array one per element. Null or blank results, null parts, multiple
	 * values and values without their own {@code toString()} are rejected when the method
	 * is called. The contents of arguments are never parsed.
	 */
	String key();

	/**
	 * SpEL expression that decides whether a call acquires the lock, such as
	 * {@code "#amount > 100"}. It is evaluated before the key. If it is false, the method
	 * runs without a lock and is counted as such. Empty: always.
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
	 * Maximum time to wait, {@code 0s} for one attempt. Empty:
	 * {@code leasehold.wait-time}.
	 */
	String waitTime() default "";

	/**
	 * Name of the engine. Empty: {@code leasehold.engine}.
	 */
	String engine() default "";

	/**
	 * Whether the lock is exclusive, or shared by all callers in this mode: the write
	 * lock or the read lock of the key. A nested call cannot upgrade a shared lock to an
	 * exclusive one and is rejected.
	 */
	LockMode mode() default LockMode.EXCLUSIVE;

	/**
	 * Whether the lock is a lease, or part of the caller's database transaction and ends
	 * with it. {@link LockScope#TRANSACTION} requires the engine {@code jdbc} and an
	 * active transaction of the application's {@code DataSource} at the call. It cannot
	 * be combined with {@link #lease()}, {@link #permits()}, {@link #fenced()},
	 * {@link #minHold()}, {@link #maxHold()}, {@link #lockDelay()}, {@link #linger()} and
	 * results that end later.
	 */
	LockScope scope() default LockScope.METHOD;

	/**
	 * How many owners in all processes may hold the key at once, each with its own permit
	 * and lease, such as {@code "10"} or a placeholder. All users of the key must specify
	 * the same number: another one is rejected while a permit is held. Cannot be combined
	 * with {@link LockMode#SHARED}. Empty: no permits, one owner.
	 */
	String permits() default "";

	/**
	 * Behaviour if the lock is busy for the whole wait time.
	 */
	WhenBusy whenBusy() default WhenBusy.THROW;

	/**
	 * Method of the same class that is called if the lock was busy or the store did not
	 * respond. It has the same parameters and optionally the
	 * {@link io.leasehold.LockException} as the last one. It is not called for exceptions
	 * of the method itself. It runs without a lock, and must not have one of its own.
	 * Advice inside the lock, such as a transaction's, applies to it. It overrides
	 * {@code leasehold.when-unavailable} and cannot be combined with
	 * {@link WhenBusy#SKIP}.
	 */
	String fallback() default "";

	/**
	 * Whether the fencing token guards the method's transactions in the application's own
	 * database: a former owner cannot commit, however long it was paused. Requires the
	 * {@linkplain io.leasehold.FencingGuard fence table}, an exclusive lock, and no
	 * active transaction at the call. The transactions of a publisher or of a suspending
	 * function are those of R2DBC. Such a method never runs unlocked, even with
	 * {@code leasehold.when-unavailable}.
	 */
	boolean fenced() default false;

	/**
	 * Minimum time for which the key stays locked, counted from the grant, even if the
	 * method ends earlier. Empty: none.
	 */
	String minHold() default "";

	/**
	 * Maximum time to hold the lock, counted from the grant. Then the lock is lost and
	 * the key becomes available, whatever the lease is. The method is notified as of any
	 * loss and may still be running. Empty: renewed while the method runs.
	 */
	String maxHold() default "";

	/**
	 * How long the key stays locked after the lease of an owner that vanished without a
	 * release, so that its in-flight requests have failed before the next owner begins.
	 * Empty: {@code leasehold.lock-delay}.
	 */
	String lockDelay() default "";

	/**
	 * How long this process may keep the lock after the method has ended, so that its
	 * next call runs without a request to the store. The lock is released earlier if
	 * another process wants it. Only for exclusive locks without {@link #minHold()} and
	 * {@link #lockDelay()}; ignored otherwise. Requires an engine that can notify this
	 * process. Zero for a release at once. Empty: {@code leasehold.linger}.
	 */
	String linger() default "";

}
