package io.leasehold.engine.zookeeper;

import java.security.SecureRandom;
import java.util.Collection;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

import io.leasehold.engine.Claim;
import io.leasehold.engine.Owner;
import org.jspecify.annotations.Nullable;

/**
 * Claims of this process that have not ended. Thread-safe.
 */
final class LiveClaims {

	private final NodePaths paths;

	private final Map<Owner, LiveClaim> byOwner = new ConcurrentHashMap<>();

	private final String idPrefix = HexFormat.of().toHexDigits(new SecureRandom().nextLong()) + "-";

	private final AtomicLong nextId = new AtomicLong();

	LiveClaims(NodePaths paths) {
		this.paths = paths;
	}

	LiveClaim begin(Claim claim) {
		return this.byOwner.computeIfAbsent(claim.owner(), (owner) -> new LiveClaim(claim,
				this.idPrefix + Long.toHexString(this.nextId.incrementAndGet()), this.paths.container(claim.key())));
	}

	@Nullable LiveClaim find(Claim claim) {
		return this.byOwner.get(claim.owner());
	}

	/**
	 * Remove a claim that left nothing in the store, and whose end was reported or no
	 * longer matters.
	 */
	void forget(LiveClaim live) {
		this.byOwner.remove(live.claim().owner(), live);
	}

	Collection<LiveClaim> all() {
		return this.byOwner.values();
	}

}
