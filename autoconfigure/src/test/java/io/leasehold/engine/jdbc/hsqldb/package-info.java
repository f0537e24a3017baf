/**
 * A dialect of the engine {@code jdbc} that is not built in.
 */
@NullMarked
package io.leasehold.engine.jdbc.hsqldb;

import org.jspecify.annotations.NullMarked;
