/**
 * The contract that every engine keeps, as tests to be inherited.
 */
@NullMarked
package io.leasehold.test.contract;

import org.jspecify.annotations.NullMarked;
