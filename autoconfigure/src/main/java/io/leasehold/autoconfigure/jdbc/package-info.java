/**
 * Auto-configuration of the JDBC engine.
 */
@NullMarked
package io.leasehold.autoconfigure.jdbc;

import org.jspecify.annotations.NullMarked;
