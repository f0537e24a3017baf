package io.leasehold.soak;

import java.util.Random;

/**
 * One thread of a soak's JVM, which takes turns until it may rest. Writes down what
 * nobody expects, too.
 */
abstract class Actor implements Runnable {

	final Diary diary;

	final Random random;

	private volatile boolean resting;

	Actor(Diary diary, Random random) {
		this.diary = diary;
		this.random = random;
	}

	@Override
	public final void run() {
		try {
			while (!this.resting) {
				Thread.sleep(this.random.nextInt(50));
				takeTurn();
			}
		}
		catch (Exception ex) {
			this.diary.write("failed-" + ex);
			ex.printStackTrace();
		}
	}

	abstract void takeTurn() throws Exception;

	/** Take no more turns than the one that may have begun. */
	final void rest() {
		this.resting = true;
	}

}
