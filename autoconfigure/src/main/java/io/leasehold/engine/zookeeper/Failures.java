package io.leasehold.engine.zookeeper;

import java.util.Set;

import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.jspecify.annotations.Nullable;

/**
 * Tells failures of the store in our words.
 */
final class Failures {

	private static final Set<Code> PERMANENT = Set.of(Code.NOAUTH, Code.AUTHFAILED, Code.INVALIDACL, Code.BADARGUMENTS,
			Code.UNIMPLEMENTED, Code.QUOTAEXCEEDED, Code.NOCHILDRENFOREPHEMERALS);

	private Failures() {
	}

	static LockEngineException of(String action, @Nullable LockKey key, Throwable cause) {
		boolean permanent = cause instanceof KeeperException failure && PERMANENT.contains(failure.code());
		String reason = (cause instanceof KeeperException failure) ? failure.code().toString() : cause.toString();
		return new LockEngineException(key,
				"ZooKeeper could not %s lock '%s' (%s)".formatted(action, (key != null) ? key : "", reason), cause,
				!permanent);
	}

	/** Whether the node did not exist. */
	static boolean isNoNode(Throwable failure) {
		return failure instanceof KeeperException.NoNodeException;
	}

}
