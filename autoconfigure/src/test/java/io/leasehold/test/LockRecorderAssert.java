package io.leasehold.test;

import java.util.function.Predicate;

import org.assertj.core.api.AbstractAssert;

/**
 * AssertJ assertions on the locks since the record was last cleared. Keys are the
 * evaluated ones, such as {@code order:42}.
 */
public final class LockRecorderAssert extends AbstractAssert<LockRecorderAssert, LockRecorder> {

	LockRecorderAssert(LockRecorder actual) {
		super(actual, LockRecorderAssert.class);
	}

	/**
	 * Verify that a lock was acquired, whether or not it is still held.
	 * @param key the key
	 * @return this assertion
	 */
	public LockRecorderAssert acquired(String key) {
		return any(key, RecordedLock::isAcquired, "to have been acquired");
	}

	/**
	 * Verify that a lock was not acquired.
	 * @param key the key
	 * @return this assertion
	 */
	public LockRecorderAssert neverAcquired(String key) {
		return none(key, RecordedLock::isAcquired, "never to have been acquired");
	}

	/**
	 * Verify that a lock is held now, by any thread.
	 * @param key the key
	 * @return this assertion
	 */
	public LockRecorderAssert holds(String key) {
		return any(key, RecordedLock::isHeld, "to be held");
	}

	/**
	 * Verify that no lock is held now.
	 * @return this assertion
	 */
	public LockRecorderAssert holdsNothing() {
		isNotNull();
		if (!this.actual.held().isEmpty()) {
			throw failure("Expecting no lock to be held, but recorded was:%n  %s", this.actual);
		}
		return this;
	}

	/**
	 * Verify that a lock was acquired, is no longer held, and was never lost.
	 * @param key the key
	 * @return this assertion
	 */
	public LockRecorderAssert released(String key) {
		return any(key, RecordedLock::isReleased, "to have been released").none(key,
				(lock) -> lock.isHeld() || lock.isLost(), "to have been released each time");
	}

	/**
	 * Verify that a lock was lost while it was held.
	 * @param key the key
	 * @return this assertion
	 */
	public LockRecorderAssert lost(String key) {
		return any(key, RecordedLock::isLost, "to have been lost");
	}

	/**
	 * Verify that a caller could not acquire a lock because another owner held it for the
	 * whole wait time.
	 * @param key the key
	 * @return this assertion
	 */
	public LockRecorderAssert foundBusy(String key) {
		return any(key, RecordedLock::isBusy, "to have been found busy");
	}

	private LockRecorderAssert any(String key, Predicate<RecordedLock> state, String expected) {
		isNotNull();
		return verify(this.actual.locks(key).anyMatch(state), key, expected);
	}

	private LockRecorderAssert none(String key, Predicate<RecordedLock> state, String expected) {
		isNotNull();
		return verify(this.actual.locks(key).noneMatch(state), key, expected);
	}

	private LockRecorderAssert verify(boolean satisfied, String key, String expected) {
		if (!satisfied) {
			throw failure("Expecting lock '%s' %s, but recorded was:%n  %s", key, expected, this.actual);
		}
		return this;
	}

}
