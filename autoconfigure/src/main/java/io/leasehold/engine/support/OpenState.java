package io.leasehold.engine.support;

import java.util.List;

import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import io.leasehold.engine.Renewal;
import io.leasehold.engine.RenewalOutcome;
import org.jspecify.annotations.Nullable;

/**
 * State of an engine that can be closed, and the failure of all its requests afterwards.
 * Thread-safe.
 */
public final class OpenState {

	private final String engine;

	private volatile boolean closed;

	/**
	 * Create the state of an open engine.
	 * @param engine name of the engine
	 */
	public OpenState(String engine) {
		this.engine = engine;
	}

	/** Mark the engine as closed, before its resources are released. */
	public void close() {
		this.closed = true;
	}

	/**
	 * Return whether the engine was closed.
	 * @return whether requests fail
	 */
	public boolean isClosed() {
		return this.closed;
	}

	/**
	 * Fail a request of a closed engine.
	 * @param key the lock's key, or {@code null} if no single lock is affected
	 * @throws LockEngineException if the engine is closed; a retry cannot succeed
	 */
	public void check(@Nullable LockKey key) {
		if (this.closed) {
			throw failure(key, null);
		}
	}

	/**
	 * Return the exception for a failed request. A request that was in flight when the
	 * engine was closed fails as later ones do.
	 * @param key the lock's key, or {@code null} if no single lock is affected
	 * @param failure the failure of the request
	 * @return the failure, or that of a closed engine with the failure as its cause
	 */
	public LockEngineException reason(@Nullable LockKey key, LockEngineException failure) {
		return this.closed ? failure(key, failure) : failure;
	}

	/**
	 * Return the outcomes of renewals that a closed engine does not send.
	 * @param renewals the renewals
	 * @return an unknown outcome for each, with an exception that names its lock
	 */
	public List<RenewalOutcome> unknown(List<Renewal> renewals) {
		return renewals.stream()
			.<RenewalOutcome>map((renewal) -> new RenewalOutcome.Unknown(failure(renewal.claim().key(), null)))
			.toList();
	}

	private LockEngineException failure(@Nullable LockKey key, @Nullable Throwable cause) {
		String message = (key != null) ? "Lock '%s' is unavailable: engine '%s' is closed".formatted(key, this.engine)
				: "Engine '%s' is closed".formatted(this.engine);
		return new LockEngineException(key, message, cause, false);
	}

}
