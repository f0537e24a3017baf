/**
 * Annotation for methods that run under a lock.
 */
@NullMarked
package io.leasehold.annotation;

import org.jspecify.annotations.NullMarked;
