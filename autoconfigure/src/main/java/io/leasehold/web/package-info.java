/**
 * Responses to HTTP requests whose lock could not be acquired or was lost.
 */
@NullMarked
package io.leasehold.web;

import org.jspecify.annotations.NullMarked;
