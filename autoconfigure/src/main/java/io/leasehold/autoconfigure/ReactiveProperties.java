package io.leasehold.autoconfigure;

import io.leasehold.interceptor.OnCancel;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Properties of methods that return a publisher.
 *
 * @param onCancel Effect of a cancelled subscription on the lock of a publisher that has
 * not ended. With 'expire', the lock is lost and its key stays locked until the lease
 * expires, because the method's work may continue. With 'release', the key becomes
 * available at once.
 */
@ConfigurationProperties("leasehold.reactive")
record ReactiveProperties(@DefaultValue("expire") OnCancel onCancel) {
}
