package io.leasehold.service;

import java.lang.ref.WeakReference;
import java.time.Duration;

import io.leasehold.engine.Claim;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.service.gate.Grant;
import io.leasehold.service.gate.Hold;
import io.leasehold.service.gate.KeyGate;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Release of grants: when their last hold was closed, or after they were parked.
 */
final class Releases {

	private static final Log logger = LogFactory.getLog(Releases.class);

	private final LockEngine engine;

	private final MonotonicClock clock;

	private final EngineThreads threads;

	private final ClaimCloser closer;

	private final GateDriver driver;

	private final Returns returns;

	private final StoreOutage outage;

	Releases(LockEngine engine, MonotonicClock clock, EngineThreads threads, ClaimCloser closer, GateDriver driver,
			StoreOutage outage) {
		this.engine = engine;
		this.clock = clock;
		this.threads = threads;
		this.closer = closer;
		this.driver = driver;
		this.returns = new Returns(threads.releases());
		this.outage = outage;
	}

	/** Release the grant of a closed hold in a thread of the library. */
	void releaseLater(KeyGate gate, Hold hold) {
		this.threads.releases().execute(() -> release(gate, hold));
	}

	/**
	 * Release the grant of a closed hold, and repeat that in the background if it fails.
	 * @return the response of the store, {@code null} if it has not responded yet
	 */
	@Nullable ReleaseOutcome release(KeyGate gate, Hold hold) {
		Duration standBack = Duration.ZERO;
		boolean interrupted = Thread.interrupted();
		long sent = this.clock.nanoTime();
		try {
			ReleaseOutcome outcome = this.engine.release(hold.grant.claim);
			this.outage.responded();
			if (outcome instanceof ReleaseOutcome.Released released) {
				standBack = released.standBack();
			}
			return outcome;
		}
		catch (RuntimeException | Error ex) {
			logger.debug("Lock '%s' will be released in the background".formatted(hold.key()), ex);
			this.outage.failed(sent, ex);
			// If the repeated release is not of the owner, the first one may have freed
			// the key
			this.closer.close(hold.grant.claim);
			return null;
		}
		finally {
			this.driver.carryOut(gate, gate.released(standBack));
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	/**
	 * Plan the release of a grant that was just parked for the first time. The plan does
	 * not keep a grant that was released before.
	 */
	void returnAfterLinger(KeyGate gate, Grant parked) {
		WeakReference<KeyGate> weakGate = new WeakReference<>(gate);
		WeakReference<Grant> weakGrant = new WeakReference<>(parked);
		this.threads.schedule(() -> {
			KeyGate parking = weakGate.get();
			Grant unused = weakGrant.get();
			if (parking != null && unused != null) {
				this.returns.execute(() -> returnUnwanted(parking, unused));
			}
		}, parked.mayLingerFor(this.clock.nanoTime()));
	}

	/**
	 * Release a parked grant that nobody wants, unless it was released in the meantime.
	 */
	private void returnUnwanted(KeyGate gate, Grant parked) {
		Hold unused = gate.unpark(parked);
		if (unused != null) {
			release(gate, unused);
		}
	}

	/**
	 * Release a parked grant that somebody wants, in a thread of the library.
	 * @param only the grant to release, {@code null} for any
	 */
	void returnParked(KeyGate gate, @Nullable Grant only) {
		Hold unused = gate.unpark(only);
		if (unused != null) {
			releaseLater(gate, unused);
		}
	}

	/** Process the report that another process wants the key of a lingering grant. */
	void recalled(KeyGate gate, Claim claim) {
		Hold held = gate.recalled(claim);
		if (held != null) {
			this.driver.extend(gate, held);
		}
		Hold unused = gate.parked();
		if (unused != null && unused.grant.claim.owner() == claim.owner()) {
			returnParked(gate, unused.grant);
		}
	}

}
