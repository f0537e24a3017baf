/**
 * Engine with locks in memory, for one JVM: tests and development.
 */
@NullMarked
package io.leasehold.engine.local;

import org.jspecify.annotations.NullMarked;
