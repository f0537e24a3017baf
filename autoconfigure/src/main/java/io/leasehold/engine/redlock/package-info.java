/**
 * Engine with locks on a majority of independent Redis masters (Redlock). It uses the
 * connections of the Redis engine as a library, and nothing else of that engine. Only the
 * auto-configuration uses this package.
 */
@NullMarked
package io.leasehold.engine.redlock;

import org.jspecify.annotations.NullMarked;
