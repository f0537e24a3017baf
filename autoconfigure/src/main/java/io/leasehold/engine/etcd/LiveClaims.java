package io.leasehold.engine.etcd;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.Collectors;

import io.leasehold.engine.Claim;
import io.leasehold.engine.Owner;
import io.leasehold.engine.RevocationListener;
import io.leasehold.engine.Signal;
import io.leasehold.engine.Subscription;
import org.jspecify.annotations.Nullable;

/**
 * Claims of this process that have not ended. Thread-safe.
 */
final class LiveClaims {

	private static final int DIGEST_BYTES = 8;

	private final EtcdKeys keys;

	private final Watches watches;

	private final Map<Owner, LiveClaim> byOwner = new ConcurrentHashMap<>();

	private final AtomicLong nextId = new AtomicLong();

	private volatile RevocationListener revocations = (number, claim) -> {
	};

	LiveClaims(EtcdKeys keys, Watches watches) {
		this.keys = keys;
		this.watches = watches;
	}

	LiveClaim begin(Claim claim) {
		return this.byOwner.computeIfAbsent(claim.owner(),
				(owner) -> new LiveClaim(claim, newId(owner), this.keys.claims(claim.key()), new Turn(this.watches)));
	}

	/** Subscribe to the signals for a claim. One that has ended has none. */
	Subscription subscribe(Claim claim, Consumer<Signal> listener) {
		LiveClaim live = find(claim);
		if (live == null) {
			return Subscription.POLLING;
		}
		live.turn().listen(listener);
		return live.turn()::unsubscribe;
	}

	/**
	 * Return an id that neither another claim nor another process has. Copies of a
	 * process that were restored from one snapshot have different owners. The owner's
	 * token itself is too long, and releases the lock.
	 */
	private String newId(Owner owner) {
		try {
			byte[] digest = MessageDigest.getInstance("SHA-256")
				.digest(owner.token().getBytes(StandardCharsets.US_ASCII));
			return HexFormat.of().formatHex(digest, 0, DIGEST_BYTES) + "-"
					+ Long.toHexString(this.nextId.getAndIncrement());
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException(ex); // every Java platform has it
		}
	}

	@Nullable LiveClaim find(Claim claim) {
		return this.byOwner.get(claim.owner());
	}

	void forget(LiveClaim live) {
		this.byOwner.remove(live.claim().owner(), live);
	}

	Collection<LiveClaim> all() {
		return this.byOwner.values();
	}

	/** Return the keys of claims that no claim of this process has. */
	List<String> strays(List<String> found) {
		Set<String> known = this.byOwner.values().stream().map(LiveClaim::key).collect(Collectors.toSet());
		return found.stream().filter((key) -> key.startsWith(this.keys.claims()) && !known.contains(key)).toList();
	}

	void reportRevocations(RevocationListener listener) {
		this.revocations = listener;
	}

	/** Notify the claims of a session that was lost. */
	void lost(Session session) {
		all().stream().filter((live) -> live.session() == session).forEach((live) -> {
			live.turn().retry();
			if (live.isHeld()) {
				this.revocations.revoked(live.number(), live.claim());
			}
		});
	}

	/** Return whether a session may have keys of these claims. */
	boolean use(Session session) {
		return this.byOwner.values().stream().anyMatch((live) -> live.session() == session);
	}

}
