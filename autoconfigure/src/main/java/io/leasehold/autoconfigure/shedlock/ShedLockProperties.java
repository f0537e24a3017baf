package io.leasehold.autoconfigure.shedlock;

import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * Properties of the locks for ShedLock.
 *
 * @param keepAlive Whether jobs of ShedLock keep their locks until they end. Otherwise a
 * job that takes longer than 'lockAtMostFor' loses its lock.
 */
@ConfigurationProperties("leasehold.shedlock")
record ShedLockProperties(boolean keepAlive) {
}
