package io.leasehold.test.contract;

import java.util.List;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Supplier;

import io.leasehold.LockKey;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Holder;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.Renewal;
import io.leasehold.engine.RenewalOutcome;

/**
 * An engine whose requests for locks can be paused. Thread-safe.
 */
@SuppressWarnings("try") // the engine's close may throw any exception
final class PausableEngine extends DelegatingEngine implements AutoCloseable {

	private final LockEngine engine;

	/** A request has the read lock, a pause the write lock. */
	private final ReadWriteLock requests = new ReentrantReadWriteLock();

	PausableEngine(LockEngine engine) {
		super(engine);
		this.engine = engine;
	}

	/**
	 * Wait until no request is in progress, and let further ones wait until
	 * {@link #resume()}, which the same thread has to call.
	 */
	void pause() {
		this.requests.writeLock().lock();
	}

	/** Let requests go on. */
	void resume() {
		this.requests.writeLock().unlock();
	}

	private <T> T request(Supplier<T> request) {
		this.requests.readLock().lock();
		try {
			return request.get();
		}
		finally {
			this.requests.readLock().unlock();
		}
	}

	@Override
	public AcquisitionOutcome tryAcquire(Claim claim) {
		return request(() -> super.tryAcquire(claim));
	}

	@Override
	public List<RenewalOutcome> renew(List<Renewal> renewals) {
		return request(() -> super.renew(renewals));
	}

	@Override
	public ReleaseOutcome release(Claim claim) {
		return request(() -> super.release(claim));
	}

	@Override
	public List<Holder> inspect(LockKey key) {
		return request(() -> super.inspect(key));
	}

	@Override
	public void close() throws Exception {
		if (this.engine instanceof AutoCloseable closeable) {
			closeable.close();
		}
	}

}
