/**
 * For tests of applications that use locks: the application without its stores, a clock
 * that can be moved, and assertions on what was locked.
 */
@NullMarked
package io.leasehold.test;

import org.jspecify.annotations.NullMarked;
