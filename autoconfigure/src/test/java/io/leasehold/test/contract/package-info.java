/**
 * The contract of every engine, as tests to inherit.
 */
@NullMarked
package io.leasehold.test.contract;

import org.jspecify.annotations.NullMarked;
