/**
 * Auto-configuration of locks for Spring Integration.
 */
@NullMarked
package io.leasehold.autoconfigure.integration;

import org.jspecify.annotations.NullMarked;
