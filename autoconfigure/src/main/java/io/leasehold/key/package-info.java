/**
 * Key expressions: parsed and checked once per method, evaluated for each call.
 */
@NullMarked
package io.leasehold.key;

import org.jspecify.annotations.NullMarked;
