package io.leasehold.engine.local;

import java.time.Duration;

import io.leasehold.LockEngineException;
import io.leasehold.LockKey;

/**
 * Switches that simulate the faults of a remote store in the local one. Thread-safe.
 */
public final class LocalFaults {

	private volatile boolean down;

	private volatile boolean loseReplies;

	private volatile Duration renewalDelay = Duration.ZERO;

	LocalFaults() {
	}

	/**
	 * Make the store unavailable: requests fail and are not executed.
	 * @param down whether the store is down
	 */
	public void setDown(boolean down) {
		this.down = down;
	}

	/**
	 * Lose the store's responses: requests are executed, but the caller gets a failure.
	 * @param loseReplies whether responses are lost
	 */
	public void setLoseReplies(boolean loseReplies) {
		this.loseReplies = loseReplies;
	}

	/**
	 * Delay renewals, as a paused process does. An interrupt ends the delay.
	 * @param delay how late renewals reach the store, or zero for no delay
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
			throw new LockEngineException(key, "Lock '%s' is unavailable: the store is down".formatted(key), null);
		}
	}

	void beforeList() {
		if (this.down) {
			throw new LockEngineException(null, "The held locks are unknown: the store is down", null);
		}
	}

	void beforeReply(LockKey key) {
		if (this.loseReplies) {
			throw new LockEngineException(key, "Lock '%s' is unavailable: the store's response was lost".formatted(key),
					null);
		}
	}

}
