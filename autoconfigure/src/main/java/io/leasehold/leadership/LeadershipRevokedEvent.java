package io.leasehold.leadership;

/**
 * Application event for the end of a term of this process, which began with a
 * {@link LeadershipGrantedEvent}. Events of a role are published in order, in one thread
 * of the role.
 *
 * @param role name of the role
 * @param term number of the term
 * @param cause why it ended
 */
public record LeadershipRevokedEvent(String role, long term, RevocationCause cause) {
}
