package io.leasehold.engine;

import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Identity of a member between two calls of {@link Member#renew()}. Thread-safe.
 */
final class MemberIdentity {

	static final SecureRandom RANDOM = new SecureRandom();

	private final String id;

	private volatile Batch batch = new Batch();

	MemberIdentity(String id) {
		this.id = id;
	}

	String id() {
		return this.id;
	}

	/** Return a number that cannot be guessed. */
	long newSecret() {
		while (true) {
			Batch current = this.batch;
			int index = current.next.getAndAdd(Long.BYTES);
			if (index < current.secrets.capacity()) {
				return current.secrets.getLong(index);
			}
			this.batch = new Batch();
		}
	}

	/** Batch of random numbers: a single one costs more than a local lock. */
	private static final class Batch {

		private final ByteBuffer secrets = ByteBuffer.allocate(256 * Long.BYTES);

		private final AtomicInteger next = new AtomicInteger();

		Batch() {
			RANDOM.nextBytes(this.secrets.array());
		}

	}

}
