/**
 * Tools that several tests share: real servers, a network that fails on demand.
 */
@NullMarked
package io.leasehold.test;

import org.jspecify.annotations.NullMarked;
