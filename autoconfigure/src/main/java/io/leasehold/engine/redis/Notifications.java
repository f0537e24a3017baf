package io.leasehold.engine.redis;

import java.util.List;

import io.leasehold.engine.redis.connection.Line;
import io.leasehold.engine.redis.connection.RedisFailure;
import io.leasehold.engine.redis.connection.Replies;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Requests whose scripts notify waiting claims, in the form that the server accepts. It
 * is found out by requests, none of which is lost or repeated: a script continues if the
 * server rejects its message, and has not run if the server rejects its text.
 * Thread-safe.
 */
final class Notifications {

	private static final Log logger = LogFactory.getLog(Notifications.class);

	private final String inboxPrefix;

	private final WakeUp wakeUp;

	private volatile boolean byClient;

	/**
	 * Create notifications.
	 * @param inboxPrefix prefix of inbox channels
	 */
	Notifications(String inboxPrefix, WakeUp wakeUp) {
		this.inboxPrefix = inboxPrefix;
		this.wakeUp = wakeUp;
		this.byClient = wakeUp == WakeUp.CLIENT || wakeUp == WakeUp.POLL;
	}

	String inboxPrefix() {
		return this.inboxPrefix;
	}

	/**
	 * Return whether clients publish messages. Then no script can count the subscribers
	 * of a message.
	 */
	boolean areByClient() {
		return this.byClient;
	}

	/**
	 * Run a script, and publish the messages that it returns.
	 * @param deadline reading of {@link System#nanoTime()} at which to stop waiting
	 * @throws RedisFailure if the server did not respond or rejected the request
	 */
	<T> T run(NotifyingScript<T> script, Line line, RedisKeys keys, String[] args, long deadline) {
		if (!this.byClient) {
			try {
				return response(line.run(script.publishing(), keys.all(), args, deadline), line, keys);
			}
			catch (RedisFailure ex) {
				if (!isReturningFormNext(ex)) {
					throw ex;
				}
			}
		}
		return response(line.run(script.returning(), keys.all(), args, deadline), line, keys);
	}

	/** Send a script without waiting for its response. */
	void send(NotifyingScript<?> script, Line line, RedisKeys keys, String[] args) {
		if (this.byClient) {
			sendReturning(script, line, keys, args);
			return;
		}
		line.sendText(script.publishing(), keys.all(), args).whenComplete((response, failure) -> {
			if (failure == null) {
				response(response, line, keys);
			}
			else if (isReturningFormNext(Replies.failure(failure))) {
				sendReturning(script, line, keys, args);
			}
		});
	}

	private void sendReturning(NotifyingScript<?> script, Line line, RedisKeys keys, String[] args) {
		line.sendText(script.returning(), keys.all(), args).thenAccept((response) -> response(response, line, keys));
	}

	/** Return whether a script has not run and its other form has to follow. */
	private boolean isReturningFormNext(RedisFailure failure) {
		if (!failure.isRejectedScript() || this.wakeUp != WakeUp.AUTO) {
			return false;
		}
		publishByClient(failure.getMessage());
		return true;
	}

	@SuppressWarnings("unchecked")
	private <T> T response(Object response, Line line, RedisKeys keys) {
		if (response instanceof List<?> both && both.size() == 2 && both.get(1) instanceof List<?> grants) {
			if (!this.byClient && this.wakeUp == WakeUp.AUTO) {
				publishByClient(null);
			}
			grants.forEach((grant) -> publish((String) grant, line, keys));
			return (T) both.get(0);
		}
		return (T) response;
	}

	private void publish(String text, Line line, RedisKeys keys) {
		Grant grant = Grant.parse(text);
		if (grant != null) {
			line.publish(inboxOf(grant), text + " " + keys.lock());
		}
	}

	/** Return the channel of the member that made a claim. */
	String inboxOf(Grant grant) {
		return this.inboxPrefix + ClaimName.memberId(grant.claim());
	}

	private synchronized void publishByClient(@Nullable String reason) {
		if (!this.byClient) {
			this.byClient = true;
			logger.info("Redis rejects messages from scripts%s. From now on, this process publishes them itself"
				.formatted((reason != null) ? " (" + reason + ")" : ""));
		}
	}

}
