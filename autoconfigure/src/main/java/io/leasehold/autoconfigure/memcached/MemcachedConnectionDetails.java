package io.leasehold.autoconfigure.memcached;

import java.util.List;

import org.springframework.boot.autoconfigure.service.connection.ConnectionDetails;

/**
 * Connection details of the memcached servers for locks. A bean of this type replaces
 * {@code leasehold.memcached.servers}.
 */
public interface MemcachedConnectionDetails extends ConnectionDetails {

	/** Return the servers, such as {@code cache1:11211}. */
	List<String> getServers();

}
