package io.leasehold.service;

import java.time.Duration;

import io.leasehold.LockOptions;
import io.leasehold.service.gate.FencingTokens;

/**
 * Settings of the service.
 *
 * @param defaults options of calls without options, with the name of the default engine
 * @param onLost how a holder is notified of the loss of its lock
 * @param maxHandoffs how often a grant is passed on inside this process before it is
 * released, 0 to 63
 * @param maxHandoffTime how long a grant is passed on inside this process
 * @param slowHold how long a lock may be held before that is reported, or
 * {@link LockOptions#UNLIMITED}
 * @param slowWait how long a caller may wait before that is logged, or
 * {@link LockOptions#UNLIMITED}
 * @param holderReport when the exception for a busy lock names the holders
 * @param deadlock what happens if callers of this process wait for each other
 */
public record ServiceSettings(LockOptions defaults, OnLost onLost, int maxHandoffs, Duration maxHandoffTime,
		Duration slowHold, Duration slowWait, HolderReport holderReport, DeadlockPolicy deadlock) {

	/** Maximum number of passes; the fencing token's layout leaves no room for more. */
	public static final int MOST_HANDOFFS = FencingTokens.MOST_PASSES;

	/**
	 * Create settings.
	 * @throws IllegalArgumentException if the number of handoffs is out of range
	 */
	public ServiceSettings {
		if (maxHandoffs < 0 || maxHandoffs > MOST_HANDOFFS) {
			throw new IllegalArgumentException(
					"maxHandoffs must be between 0 and %s, but is %s".formatted(MOST_HANDOFFS, maxHandoffs));
		}
	}

	/** Create settings that never report a long hold or wait. */
	public ServiceSettings(LockOptions defaults, OnLost onLost, int maxHandoffs, Duration maxHandoffTime) {
		this(defaults, onLost, maxHandoffs, maxHandoffTime, LockOptions.UNLIMITED, LockOptions.UNLIMITED,
				HolderReport.AFTER_WAIT, DeadlockPolicy.WARN);
	}

}
