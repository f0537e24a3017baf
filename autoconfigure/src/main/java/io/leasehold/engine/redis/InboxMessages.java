package io.leasehold.engine.redis;

import io.leasehold.engine.RevocationListener;
import io.leasehold.engine.redis.connection.Line;
import io.leasehold.engine.redis.connection.Lines;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Messages to this member about grants: to its waiting claims, and about grants of its
 * own that were revoked or recalled. Thread-safe.
 */
final class InboxMessages {

	private static final Log logger = LogFactory.getLog(InboxMessages.class);

	private final LiveClaims claims;

	private final ClaimRequests requests;

	private final Lines lines;

	private volatile @Nullable RevocationListener listener;

	InboxMessages(LiveClaims claims, ClaimRequests requests, Lines lines) {
		this.claims = claims;
		this.requests = requests;
		this.lines = lines;
	}

	/** Set the listener for messages about revoked and recalled grants. */
	void report(RevocationListener newListener) {
		this.listener = newListener;
	}

	/** Process a message, in a thread of the client library. */
	void receive(String text) {
		Grant.Message granted = Grant.parseMessage(text);
		Grant revoked = Grant.parseRevocation(text);
		Grant recalled = Grant.parseRecall(text);
		if (granted != null) {
			granted(granted);
		}
		else if (revoked != null) {
			revoked(revoked);
		}
		else if (recalled != null) {
			recalled(this.claims.named(recalled.claim()));
		}
		else {
			logger.debug("Ignored a message in this member's inbox that Leasehold did not send");
		}
	}

	private void granted(Grant.Message message) {
		LiveClaim live = this.claims.named(message.grant().claim());
		if (live != null) {
			live.notified(message.grant().number());
		}
		else {
			returnGrant(message);
		}
	}

	/**
	 * Release a grant to a claim that has ended. If no line is open, the grant expires
	 * soon, because its lease is short.
	 */
	private void returnGrant(Grant.Message message) {
		Line line = this.lines.ifOpen(message.keys().lock());
		if (line != null) {
			this.requests.returnGrant(line, message);
		}
	}

	private void revoked(Grant grant) {
		RevocationListener to = this.listener;
		if (to != null) {
			to.revoked(grant.number(), (claim) -> ClaimName.of(claim).equals(grant.claim()));
		}
	}

	private void recalled(@Nullable LiveClaim live) {
		RevocationListener to = this.listener;
		if (live != null && to != null) {
			to.recalled(live.claim());
		}
	}

}
