package io.leasehold.leadership;

/**
 * Application event for the beginning of a term of this process. Events of a role are
 * published in order, in one thread of the role.
 *
 * @param role name of the role
 * @param term number of the term
 */
public record LeadershipGrantedEvent(String role, long term) {
}
