/**
 * Keeps the manual true: its links, its examples, its properties, and the tests that it
 * names.
 */
@NullMarked
package io.leasehold.docs;

import org.jspecify.annotations.NullMarked;
