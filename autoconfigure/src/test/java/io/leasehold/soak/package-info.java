/**
 * Three other JVMs that lock and write for as long as one likes, while they are stopped,
 * killed and cut off at random.
 */
@NullMarked
package io.leasehold.soak;

import org.jspecify.annotations.NullMarked;
