package io.leasehold.autoconfigure.web;

import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * Properties of responses to HTTP requests.
 *
 * @param problemDetails Whether controllers respond to lock exceptions with problem
 * details (RFC 9457), such as status 409 for a lock that another request holds.
 */
@ConfigurationProperties("leasehold.web")
record WebProperties(boolean problemDetails) {
}
