/**
 * Auto-configuration of responses to HTTP requests.
 */
@NullMarked
package io.leasehold.autoconfigure.web;

import org.jspecify.annotations.NullMarked;
