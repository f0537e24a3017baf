package io.leasehold.engine.zookeeper;

import java.util.Set;
import java.util.concurrent.TimeoutException;

import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import io.leasehold.engine.support.Actions;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.jspecify.annotations.Nullable;

/**
 * Factory of exceptions for failures of the store.
 */
final class Failures {

	private static final Set<Code> PERMANENT = Set.of(Code.NOAUTH, Code.AUTHFAILED, Code.INVALIDACL, Code.BADARGUMENTS,
			Code.UNIMPLEMENTED, Code.MARSHALLINGERROR, Code.QUOTAEXCEEDED, Code.NOCHILDRENFOREPHEMERALS);

	private Failures() {
	}

	static LockEngineException of(String action, @Nullable LockKey key, Exception cause) {
		boolean permanent = cause instanceof KeeperException failure && PERMANENT.contains(failure.code());
		return new LockEngineException(key,
				"ZooKeeper could not %s: %s".formatted(Actions.of(action, key), reason(cause)), cause, !permanent);
	}

	/** Return the failure of a request for a claim that has ended meanwhile. */
	static TimeoutException ended() {
		return new TimeoutException("the claim has ended before the response was processed");
	}

	/** Return the failure of a grant after too many leader elections. */
	static LockEngineException withoutTokens(LockKey key, LockNode node) {
		return new LockEngineException(key, """
				ZooKeeper could not acquire lock '%s': transaction id 0x%x is too large for a fencing token, \
				after 2^20 leader elections. Use a new ensemble""".formatted(key, node.zxid()), null, false);
	}

	private static String reason(Exception cause) {
		if (!(cause instanceof KeeperException failure)) {
			return String.valueOf(cause.getMessage());
		}
		return switch (failure.code()) {
			case UNIMPLEMENTED, MARSHALLINGERROR ->
				"the server does not support container nodes. Use ZooKeeper 3.5.3 or later";
			case NOAUTH, AUTHFAILED, INVALIDACL ->
				"%s at '%s'. Allow the client to read, write, create and delete nodes there".formatted(failure.code(),
						failure.getPath());
			case NONODE -> "there is no node '%s'. If the connect string names it after the servers, create it"
				.formatted(failure.getPath());
			case SYSTEMERROR -> String.valueOf(failure.getCause());
			default -> failure.code().toString();
		};
	}

}
