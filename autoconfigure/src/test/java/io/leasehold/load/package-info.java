/**
 * More of everything than usual: waiting threads, held locks, keys.
 */
@NullMarked
package io.leasehold.load;

import org.jspecify.annotations.NullMarked;
