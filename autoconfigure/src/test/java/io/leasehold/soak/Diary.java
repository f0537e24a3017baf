package io.leasehold.soak;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

import io.leasehold.HeldLock;
import io.leasehold.LockMode;

/**
 * What the holders of one JVM claim, written down as they go: each line is in the file
 * before its holder goes on, so that it outlives the JVM. {@link Findings} reads it.
 * Thread-safe.
 */
final class Diary {

	private static final long WORTH_A_LINE = Duration.ofMillis(100).toNanos();

	/** An interrupt does not close it, as it does with a channel. */
	private final OutputStream file;

	private final AtomicLong holds = new AtomicLong();

	Diary(Path file) {
		try {
			this.file = new FileOutputStream(file.toFile());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** Begin to claim a lock that was just acquired. */
	Claimed acquired(HeldLock lock, LockMode mode, long asked) {
		Claimed claimed = new Claimed(lock);
		write("acquired %d %s %s %s %d %d %d %d".formatted(claimed.id, lock.engine(), lock.key(), mode,
				lock.fencingToken(), asked, System.nanoTime(), claimed.deadline));
		return claimed;
	}

	synchronized void write(String line) {
		try {
			this.file.write((line + "\n").getBytes(StandardCharsets.UTF_8));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * A hold, claimed until its release is asked for or its local deadline, whichever
	 * comes first: no store of a soak loses data, so none may free a lock before. For one
	 * thread.
	 */
	final class Claimed {

		private final long id = Diary.this.holds.incrementAndGet();

		private final HeldLock lock;

		private long deadline;

		private Claimed(HeldLock lock) {
			this.lock = lock;
			this.deadline = deadline();
		}

		/** Not later than the lock's own, since the clock is read first. */
		private long deadline() {
			long now = System.nanoTime();
			return now + this.lock.remaining().toNanos();
		}

		/** Whether the lock may be believed in; if so, it is claimed for longer. */
		boolean isBelieved() {
			long until = deadline();
			if (!this.lock.isValid()) {
				return false;
			}
			if (until - this.deadline > WORTH_A_LINE) {
				this.deadline = until;
				write("believed %d %d".formatted(this.id, until));
			}
			return true;
		}

		/** Claim no more, before the release is asked for: it may be the last act. */
		void end() {
			long now = System.nanoTime();
			end((isBelieved() || now - this.deadline < 0) ? now : this.deadline);
		}

		/** Claim the lock until its deadline, which has to keep it from others. */
		void endAtDeadline() {
			end(this.deadline);
		}

		void end(long when) {
			write("ended %d %d".formatted(this.id, when));
		}

	}

}
