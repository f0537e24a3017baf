package io.leasehold.test.contract;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The faults of the catalogue in {@code docs/design/faults.md} that a test covers. The
 * table there is generated from it: a test of a class in an engine's package, or in a
 * subclass of the contract there, counts for that engine, any other for all.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ ElementType.TYPE, ElementType.METHOD })
public @interface Fault {

	/** Rows of the catalogue, from 1. On a class: covered by its tests together. */
	int[] value();

	/** Engine that the test is about, if its package does not show it. */
	String engine() default "";

}
