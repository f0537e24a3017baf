/**
 * What tests of locks need.
 */
@NullMarked
package io.leasehold.test;

import org.jspecify.annotations.NullMarked;
