/**
 * From a key's expression and a call to the key: parsed and checked once, evaluated for
 * each call.
 */
@NullMarked
package io.leasehold.key;

import org.jspecify.annotations.NullMarked;
