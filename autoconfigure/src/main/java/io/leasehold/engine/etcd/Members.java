package io.leasehold.engine.etcd;

import java.net.URI;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import io.leasehold.engine.support.Deadlines;

/**
 * Members of the cluster, of which one is used until it fails. Thread-safe.
 */
final class Members {

	private final List<URI> endpoints;

	private final AtomicInteger used = new AtomicInteger();

	Members(List<URI> endpoints) {
		this.endpoints = endpoints;
	}

	/** Return the member in use. */
	URI present() {
		return member(this.used.get());
	}

	/**
	 * Return a number that grows with each request that failed without a rejection. Such
	 * a request may have been executed, or may still be.
	 */
	int failures() {
		return this.used.get();
	}

	private URI member(int number) {
		return this.endpoints.get(Math.floorMod(number, this.endpoints.size()));
	}

	/** Use the next member instead of a failed one. */
	void leave(URI failed) {
		int number = this.used.get();
		if (member(number).equals(failed)) {
			this.used.compareAndSet(number, number + 1);
		}
	}

	/**
	 * Run a request that may be repeated. If a member does not respond in time, the next
	 * call uses the next member. A member that fails earlier is replaced within the call.
	 */
	<T> T run(Request<T> request, long deadline) throws EtcdException {
		EtcdException earlier = null;
		for (int rest = this.endpoints.size();; rest--) {
			URI member = present();
			try {
				return request.sendTo(member);
			}
			catch (EtcdException ex) {
				if (ex.isRejection()) {
					throw ex;
				}
				leave(member);
				if (ex.isLate() || rest == 0 || Deadlines.left(deadline) <= 0) {
					throw (ex.isLate() && earlier != null) ? ex.after(earlier) : ex;
				}
				earlier = ex;
			}
		}
	}

	/** Return the addresses. */
	@Override
	public String toString() {
		return this.endpoints.toString();
	}

	/**
	 * Request to one member.
	 */
	@FunctionalInterface
	interface Request<T> {

		T sendTo(URI member) throws EtcdException;

	}

}
