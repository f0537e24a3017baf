/**
 * Spring Boot configuration of locks: properties, conditions, beans, failure analyses.
 */
@NullMarked
package io.leasehold.autoconfigure;

import org.jspecify.annotations.NullMarked;
