/**
 * Engine with locks as rows of a table, in H2, MariaDB, MySQL and PostgreSQL.
 */
@NullMarked
package io.leasehold.engine.jdbc;

import org.jspecify.annotations.NullMarked;
