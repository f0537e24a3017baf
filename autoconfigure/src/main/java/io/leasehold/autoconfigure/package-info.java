/**
 * How Spring Boot sets locks up: properties, conditions, beans, failure analysis.
 */
@NullMarked
package io.leasehold.autoconfigure;

import org.jspecify.annotations.NullMarked;
