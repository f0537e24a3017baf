package io.leasehold.service;

import java.time.Duration;

import io.leasehold.LockOptions;
import io.leasehold.service.gate.Hold;

/**
 * How the service works.
 *
 * @param defaults options used where a caller gives none, with the name of the default
 * engine
 * @param onLost how a holder learns that its lock was lost
 * @param maxHandoffs how often a grant is passed on inside this process before it is
 * really released, 0 to 63
 * @param maxHandoffTime how long a grant is passed on inside this process
 * @param slowHold how long a lock may be held until that is told, or
 * {@link LockOptions#UNLIMITED}
 * @param holderReport when the exception for a busy lock names the holders
 */
public record ServiceSettings(LockOptions defaults, OnLost onLost, int maxHandoffs, Duration maxHandoffTime,
		Duration slowHold, HolderReport holderReport) {

	/** Greatest number of passes: the fencing token has room for no more. */
	public static final int MOST_HANDOFFS = Hold.MOST_PASSES;

	/**
	 * Create settings.
	 * @throws IllegalArgumentException if the number of handoffs is out of range
	 */
	public ServiceSettings {
		if (maxHandoffs < 0 || maxHandoffs > MOST_HANDOFFS) {
			throw new IllegalArgumentException(
					"maxHandoffs must be between 0 and %d, but is %d".formatted(MOST_HANDOFFS, maxHandoffs));
		}
	}

	/**
	 * Create settings by which a lock may be held for ever.
	 * @param defaults options used where a caller gives none
	 * @param onLost how a holder learns that its lock was lost
	 * @param maxHandoffs how often a grant is passed on
	 * @param maxHandoffTime how long a grant is passed on
	 */
	public ServiceSettings(LockOptions defaults, OnLost onLost, int maxHandoffs, Duration maxHandoffTime) {
		this(defaults, onLost, maxHandoffs, maxHandoffTime, LockOptions.UNLIMITED, HolderReport.AFTER_WAIT);
	}

}
