package io.leasehold.soak;

import java.util.List;
import java.util.Random;
import java.util.UUID;

import io.leasehold.HeldLock;
import io.leasehold.LockException;
import io.leasehold.LockLostException;
import io.leasehold.LockMode;
import io.leasehold.service.LockService;

/**
 * Writes under locks of all engines in transactions whose commits have unknown outcomes.
 * A key has to stay locked until the deadline that its lock had.
 */
final class Committer extends Actor {

	private final LockService locks;

	private final List<String> engines;

	private final BreakingDatabase database;

	Committer(LockService locks, List<String> engines, BreakingDatabase database, Diary diary, Random random) {
		super(diary, random);
		this.locks = locks;
		this.engines = engines;
		this.database = database;
	}

	@Override
	void takeTurn() throws InterruptedException {
		String engine = this.engines.get(this.random.nextInt(this.engines.size()));
		String key = Holder.KEYS.get(this.random.nextInt(Holder.KEYS.size()));
		long asked = System.nanoTime();
		HeldLock lock;
		try {
			lock = this.locks.acquire(key, this.locks.defaults().toBuilder().engine(engine).build());
		}
		catch (LockException ex) {
			this.diary.write("not-acquired-to-commit");
			return;
		}
		try {
			write(lock, this.diary.acquired(lock, LockMode.EXCLUSIVE, asked));
		}
		finally {
			release(lock);
		}
		Thread.sleep(this.random.nextInt(1000));
		this.database.heal();
	}

	private void write(HeldLock lock, Diary.Claimed claimed) {
		UUID id = new UUID(this.random.nextLong(), this.random.nextLong());
		if (this.database.write(lock, id)) {
			this.diary.write("unknown-commit " + id);
			claimed.endAtDeadline();
		}
		else {
			this.diary.write("rolled-back " + id);
			claimed.end();
		}
	}

	private void release(HeldLock lock) {
		try {
			lock.close();
		}
		catch (LockLostException ex) {
			this.diary.write("lost-%s-%s".formatted(ex.getLossCause(), lock.engine()));
		}
	}

}
