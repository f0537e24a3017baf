package io.leasehold.test;

import java.util.Locale;

import io.leasehold.LossCause;
import io.leasehold.event.AcquireOutcome;
import io.leasehold.event.AcquisitionListener;
import org.jspecify.annotations.Nullable;

/**
 * One acquisition and its result. Thread-safe.
 */
final class RecordedLock implements AcquisitionListener {

	private final String name;

	private final String key;

	private volatile @Nullable AcquireOutcome outcome;

	private volatile @Nullable LossCause lossCause;

	private volatile boolean ended;

	RecordedLock(String name, String key) {
		this.name = name;
		this.key = key;
	}

	@Override
	public void acquireEnded(AcquireOutcome outcome, @Nullable Exception failure) {
		this.outcome = outcome;
	}

	@Override
	public void holdStarted(long fencingToken) {
		// the acquisition was recorded before
	}

	@Override
	public void holdEnded(@Nullable LossCause lossCause) {
		this.lossCause = lossCause;
		this.ended = true;
	}

	String key() {
		return this.key;
	}

	boolean isAcquired() {
		return this.outcome == AcquireOutcome.ACQUIRED;
	}

	boolean isHeld() {
		return isAcquired() && !this.ended;
	}

	boolean isReleased() {
		return isAcquired() && this.ended && this.lossCause == null;
	}

	boolean isLost() {
		return this.lossCause != null;
	}

	boolean isBusy() {
		return this.outcome == AcquireOutcome.BUSY;
	}

	@Override
	public String toString() {
		return "'%s' (%s): %s".formatted(this.key, this.name, state());
	}

	private String state() {
		LossCause cause = this.lossCause;
		if (cause != null) {
			return "lost, as " + cause.description();
		}
		if (isAcquired()) {
			return this.ended ? "released" : "held";
		}
		AcquireOutcome how = this.outcome;
		return (how != null) ? how.name().toLowerCase(Locale.ROOT) : "awaited";
	}

}
