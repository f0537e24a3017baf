/**
 * Connections to stores in containers, by Docker Compose and by Testcontainers.
 */
@NullMarked
package io.leasehold.autoconfigure.containers;

import org.jspecify.annotations.NullMarked;
