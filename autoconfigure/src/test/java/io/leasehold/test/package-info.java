/**
 * Test support for applications that use locks: locks without the application's stores, a
 * clock that can be moved, and assertions on the locks.
 */
@NullMarked
package io.leasehold.test;

import org.jspecify.annotations.NullMarked;
