/**
 * Locks for Spring Integration.
 */
@NullMarked
package io.leasehold.integration;

import org.jspecify.annotations.NullMarked;
