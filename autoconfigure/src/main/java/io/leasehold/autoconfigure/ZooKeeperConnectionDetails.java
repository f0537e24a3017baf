package io.leasehold.autoconfigure;

import org.springframework.boot.autoconfigure.service.connection.ConnectionDetails;

/**
 * How locks reach their ZooKeeper ensemble, by a session of their own. A bean of this
 * type replaces {@code leasehold.zookeeper.connect-string}.
 */
public interface ZooKeeperConnectionDetails extends ConnectionDetails {

	/**
	 * Return the servers, and the node below which all paths are, if there is one.
	 * @return such as {@code zk1:2181,zk2:2181,zk3:2181/app}
	 */
	String getConnectString();

}
