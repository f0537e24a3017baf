/**
 * Advice around annotated methods. Each annotation is parsed and checked once, and its
 * operation is retrieved for each call.
 */
@NullMarked
package io.leasehold.interceptor;

import org.jspecify.annotations.NullMarked;
