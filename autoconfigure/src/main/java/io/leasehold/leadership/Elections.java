package io.leasehold.leadership;

import java.util.Collection;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The elections of one process in all its roles. They spread the roles: a process that is
 * elected in one of them then waits behind other processes for the others. Thread-safe.
 */
final class Elections {

	private final Collection<Candidate> candidates;

	private final AtomicLong count = new AtomicLong();

	Elections(Collection<Candidate> candidates) {
		this.candidates = candidates;
	}

	/** Return how many there were. */
	long count() {
		return this.count.get();
	}

	/**
	 * Begin a term, unless another one has begun since its candidate waits.
	 * @param before how many elections there were when the candidate began to wait
	 * @return whether the term begins. If so, all candidates that wait do so anew
	 */
	boolean begin(long before) {
		if (!this.count.compareAndSet(before, before + 1)) {
			return false;
		}
		this.candidates.forEach(Candidate::requeue);
		return true;
	}

}
