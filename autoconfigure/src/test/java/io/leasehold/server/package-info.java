/**
 * Real servers for tests, and a network that fails on demand.
 */
@NullMarked
package io.leasehold.server;

import org.jspecify.annotations.NullMarked;
