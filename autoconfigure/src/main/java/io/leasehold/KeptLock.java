package io.leasehold;

import java.io.Serializable;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

import org.jspecify.annotations.Nullable;

/**
 * Key without a holder that a minimum hold keeps locked: a job between two runs, or a job
 * that an operator paused.
 *
 * @param last the last holder; its {@code remaining} is {@code null}. If the key is
 * paused, this is the process that paused it
 * @param released when the last holder released the key or lost it by force, by the
 * store's clock; {@code null} if its lease ended before, as after a crash
 * @param remaining rest of the minimum hold, by the store's clock
 * @param pausedBy name of the operator who paused the key: at most 34 characters, with
 * {@code _} for blanks, separators and characters that are not ASCII; {@code null} if the
 * key is not paused
 */
public record KeptLock(LockHolder last, @Nullable Instant released, Duration remaining,
		@Nullable String pausedBy) implements Serializable {

	/** Return why the key is locked, in a clause for messages. */
	@Override
	public String toString() {
		Duration rest = this.remaining.truncatedTo(ChronoUnit.SECONDS);
		if (this.pausedBy != null) {
			return "paused by '%s' since %s, for another %s".formatted(this.pausedBy,
					this.last.since().truncatedTo(ChronoUnit.MILLIS), rest);
		}
		return "between two runs for another %s: last held by %s, %s".formatted(rest, this.last, (this.released != null)
				? "released at " + this.released.truncatedTo(ChronoUnit.MILLIS) : "its lease ended without a release");
	}

}
