package io.leasehold.engine.local;

import java.time.Duration;

import io.leasehold.LockEngineException;
import io.leasehold.LockKey;

/**
 * Faults on demand: what can happen to a remote store, made to happen to the local one.
 * Thread-safe.
 */
public final class LocalFaults {

	private volatile boolean down;

	private volatile boolean loseReplies;

	private volatile Duration renewalDelay = Duration.ZERO;

	LocalFaults() {
	}

	/**
	 * Make the store unreachable: requests fail and are not carried out.
	 * @param down whether the store is down
	 */
	public void setDown(boolean down) {
		this.down = down;
	}

	/**
	 * Lose the store's replies: requests are carried out, but the caller sees a failure.
	 * @param loseReplies whether replies are lost
	 */
	public void setLoseReplies(boolean loseReplies) {
		this.loseReplies = loseReplies;
	}

	/**
	 * Make renewals reach the store late, as a paused process does. An interrupt ends the
	 * delay.
	 * @param delay how late, or zero for at once
	 */
	public void delayRenewals(Duration delay) {
		this.renewalDelay = delay;
	}

	void beforeRenewals() {
		Duration delay = this.renewalDelay;
		if (delay.isZero()) {
			return;
		}
		try {
			Thread.sleep(delay.toMillis());
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	void beforeRequest(LockKey key) {
		if (this.down) {
			throw new LockEngineException(key, "Lock '%s' could not be reached: the store is down".formatted(key),
					null);
		}
	}

	void beforeReply(LockKey key) {
		if (this.loseReplies) {
			throw new LockEngineException(key, "The store's reply on lock '%s' was lost".formatted(key), null);
		}
	}

}
