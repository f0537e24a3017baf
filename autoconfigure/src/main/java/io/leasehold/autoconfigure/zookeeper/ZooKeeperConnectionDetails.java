package io.leasehold.autoconfigure.zookeeper;

import org.springframework.boot.autoconfigure.service.connection.ConnectionDetails;

/**
 * Connection details of the ZooKeeper ensemble for a separate session of locks. A bean of
 * this type replaces {@code leasehold.zookeeper.connect-string}.
 */
public interface ZooKeeperConnectionDetails extends ConnectionDetails {

	/** Return servers and optional parent node, such as {@code zk1:2181,zk2:2181/app}. */
	String getConnectString();

}
