package io.leasehold.autoconfigure;

import org.springframework.boot.autoconfigure.service.connection.ConnectionDetails;

/**
 * Connection details of the ZooKeeper ensemble for a separate session of locks. A bean of
 * this type replaces {@code leasehold.zookeeper.connect-string}.
 */
public interface ZooKeeperConnectionDetails extends ConnectionDetails {

	/**
	 * Return the servers, and the parent node of all paths, if any.
	 * @return such as {@code zk1:2181,zk2:2181,zk3:2181/app}
	 */
	String getConnectString();

}
