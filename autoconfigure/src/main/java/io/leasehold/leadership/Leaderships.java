package io.leasehold.leadership;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The roles for which this process is a candidate. Thread-safe.
 */
public final class Leaderships implements AutoCloseable {

	private final Map<String, Candidate> candidates = new LinkedHashMap<>();

	/** Create the roles of candidates, which do not stand yet. */
	public Leaderships(Iterable<Candidate> candidates) {
		candidates.forEach((candidate) -> this.candidates.put(candidate.role(), candidate));
	}

	/**
	 * Return the leadership of a role.
	 * @throws IllegalArgumentException if this process is no candidate for it
	 */
	public Leadership of(String role) {
		return candidate(role);
	}

	/** Return all candidates. */
	public Collection<Candidate> candidates() {
		return this.candidates.values();
	}

	/**
	 * Return the candidate for a role.
	 * @throws IllegalArgumentException if this process is no candidate for it
	 */
	public Candidate candidate(String role) {
		Candidate candidate = this.candidates.get(role);
		if (candidate == null) {
			throw new IllegalArgumentException("Role '%s' is not in leasehold.leadership.roles, which are %s"
				.formatted(role, this.candidates.keySet()));
		}
		return candidate;
	}

	/** Begin to want all roles. */
	public void start() {
		AtomicLong elections = new AtomicLong();
		this.candidates.values().forEach((candidate) -> candidate.start(elections));
	}

	/**
	 * End all candidacies and terms.
	 * @param whenEnded run when listeners were notified and all locks were released
	 */
	public void stop(Runnable whenEnded) {
		AtomicInteger left = new AtomicInteger(this.candidates.size() + 1);
		Runnable ended = () -> {
			if (left.decrementAndGet() == 0) {
				whenEnded.run();
			}
		};
		this.candidates.values().forEach((candidate) -> candidate.stop(ended));
		ended.run();
	}

	@Override
	public void close() {
		this.candidates.values().forEach(Candidate::close);
	}

}
