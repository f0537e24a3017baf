package io.leasehold.soak;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.UUID;

import io.leasehold.DistributedLocks;
import io.leasehold.HeldLock;
import io.leasehold.LockBusyException;
import io.leasehold.LockException;
import io.leasehold.LockLostException;
import io.leasehold.LockMode;
import io.leasehold.LockOptions;
import io.leasehold.StaleFencingTokenException;
import org.jspecify.annotations.Nullable;

/**
 * Acquires a lock, writes under it and releases it.
 */
final class Holder extends Actor {

	/** A key that is shared half of the time. */
	static final String CATALOGUE = "catalogue";

	static final List<String> KEYS = List.of("account:1", "account:2", CATALOGUE);

	/**
	 * What holders do about a lock that is lost.
	 */
	enum Character {

		/** Stop. */
		OBEYING,

		/** Write all the same, but do not claim that the lock was held. */
		HEEDLESS,

		/** Never notice: a mistake, to see what a soak finds. */
		NAIVE

	}

	private final DistributedLocks locks;

	private final LockOptions options;

	private final Character character;

	private final @Nullable FencedLedger ledger;

	Holder(DistributedLocks locks, LockOptions options, Character character, @Nullable FencedLedger ledger, Diary diary,
			Random random) {
		super(diary, random);
		this.locks = locks;
		this.options = options;
		this.character = character;
		this.ledger = ledger;
	}

	@Override
	void takeTurn() throws InterruptedException {
		String key = KEYS.get(this.random.nextInt(KEYS.size()));
		LockMode mode = (key.equals(CATALOGUE) && this.random.nextBoolean()) ? LockMode.SHARED : LockMode.EXCLUSIVE;
		long asked = System.nanoTime();
		HeldLock lock;
		try {
			lock = this.locks.acquire(key, this.options.toBuilder().mode(mode).build());
		}
		catch (LockBusyException ex) {
			this.diary.write("busy");
			return;
		}
		catch (LockException ex) {
			this.diary.write("unavailable");
			return;
		}
		hold(lock, mode, this.diary.acquired(lock, mode, asked));
	}

	private void hold(HeldLock lock, LockMode mode, Diary.Claimed claimed) throws InterruptedException {
		try {
			stay(claimed);
			FencedLedger fenced = this.ledger;
			if (fenced != null && mode == LockMode.EXCLUSIVE
					&& (this.character != Character.OBEYING || claimed.isBelieved())) {
				write(lock, fenced);
			}
		}
		finally {
			release(lock, claimed);
		}
	}

	/** Mostly for a moment, sometimes for longer than a lease. */
	private void stay(Diary.Claimed claimed) throws InterruptedException {
		int kind = this.random.nextInt(10);
		int most = (kind < 5) ? 30 : (kind < 8) ? 300 : 3000;
		long until = System.nanoTime() + Duration.ofMillis(this.random.nextInt(most)).toNanos();
		while (System.nanoTime() - until < 0 && (claimed.isBelieved() || this.character != Character.OBEYING)) {
			Thread.sleep(Math.min(20, most));
		}
	}

	private void write(HeldLock lock, FencedLedger fenced) {
		UUID id = new UUID(this.random.nextLong(), this.random.nextLong());
		boolean committed = false;
		try {
			committed = fenced.write(lock, id);
		}
		catch (StaleFencingTokenException ex) {
			tell("stale-write");
		}
		catch (LockException ex) {
			tell("given-up-write");
		}
		if (!committed) {
			this.diary.write("rolled-back " + id);
		}
	}

	private void release(HeldLock lock, Diary.Claimed claimed) {
		if (this.character == Character.NAIVE) {
			claimed.end(System.nanoTime());
		}
		else {
			claimed.end();
		}
		try {
			lock.close();
		}
		catch (LockLostException ex) {
			this.diary.write("lost-%s-%s".formatted(ex.getLossCause(), lock.engine()));
		}
	}

	private void tell(String what) {
		this.diary.write("%s-of-%s".formatted(what, this.character.name().toLowerCase(Locale.ROOT)));
	}

}
