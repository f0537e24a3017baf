package io.leasehold.test;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.leasehold.LockKey;
import io.leasehold.event.AcquisitionListener;
import io.leasehold.event.LockEvent;
import io.leasehold.event.LockEventListener;
import org.assertj.core.api.AssertProvider;

/**
 * A record of the locks of all engines, for AssertJ's {@code assertThat}. An acquisition
 * or release is recorded when its call returns. Actions in threads of the library, such
 * as the report of a loss, may be recorded later. Thread-safe.
 */
public final class LockRecorder implements LockEventListener, AssertProvider<LockRecorderAssert> {

	private final Queue<RecordedLock> locks = new ConcurrentLinkedQueue<>();

	@Override
	public void onEvent(LockEvent event) {
		// the record follows acquisitions
	}

	@Override
	public AcquisitionListener follow(String engine, String name, LockKey key) {
		RecordedLock lock = new RecordedLock(name, key.value());
		this.locks.add(lock);
		return lock;
	}

	/**
	 * Return the keys of the acquired locks, without re-entries.
	 * @return the keys, in the order in which they were requested
	 */
	public List<String> acquired() {
		return this.locks.stream().filter(RecordedLock::isAcquired).map(RecordedLock::key).toList();
	}

	/**
	 * Return the keys of the locks that are held now.
	 * @return the keys, in the order in which they were requested
	 */
	public List<String> held() {
		return this.locks.stream().filter(RecordedLock::isHeld).map(RecordedLock::key).toList();
	}

	/**
	 * Clear the record.
	 */
	public void clear() {
		this.locks.clear();
	}

	@Override
	public LockRecorderAssert assertThat() {
		return new LockRecorderAssert(this);
	}

	Stream<RecordedLock> locks(String key) {
		return this.locks.stream().filter((lock) -> lock.key().equals(key));
	}

	/**
	 * Return the record.
	 * @return a line for each acquisition
	 */
	@Override
	public String toString() {
		return this.locks.isEmpty() ? "nothing"
				: this.locks.stream().map(RecordedLock::toString).collect(Collectors.joining("%n  ".formatted()));
	}

}
