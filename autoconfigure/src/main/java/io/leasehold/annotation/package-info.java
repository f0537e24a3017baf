/**
 * What users write on a method.
 */
@NullMarked
package io.leasehold.annotation;

import org.jspecify.annotations.NullMarked;
