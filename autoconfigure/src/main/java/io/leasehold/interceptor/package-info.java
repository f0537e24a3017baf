/**
 * From an annotated method to the advice around it: found, checked and resolved once,
 * looked up for each call.
 */
@NullMarked
package io.leasehold.interceptor;

import org.jspecify.annotations.NullMarked;
