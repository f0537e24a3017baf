package io.leasehold.engine.redis;

import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.leasehold.engine.redis.connection.Node;
import io.leasehold.engine.redis.connection.RedisFailure;
import io.leasehold.engine.redis.connection.Replies;
import io.leasehold.engine.redis.connection.SilenceCheck;
import io.leasehold.engine.redis.connection.SubscribedConnection;
import io.leasehold.engine.redis.connection.Topology;
import io.leasehold.engine.support.PlannedOnce;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Subscription to the channel on which a member is notified of its grants, and of those
 * that are revoked. It starts with the first claim that waits, is renewed or may linger,
 * and is repeated whenever the connection breaks. Thread-safe.
 */
final class Inbox {

	private static final Log logger = LogFactory.getLog(Inbox.class);

	private static final long RETRY_MILLIS = 250;

	/** Delay of the next attempt after the server rejected a subscription. */
	private static final long RETRY_AFTER_REJECTION_MILLIS = 10_000;

	private final String prefix;

	private final Supplier<String> member;

	private final RedisSettings settings;

	private final Topology topology;

	private final Opener opener;

	private final ScheduledExecutorService executor;

	private final Consumer<String> messages;

	private final Runnable subscribed;

	private final SilenceCheck silence;

	private final PlannedOnce subscribing = new PlannedOnce();

	private final AtomicBoolean rejected = new AtomicBoolean();

	private final CompletableFuture<Boolean> firstAttempt = new CompletableFuture<>();

	private final AtomicReference<@Nullable Subscription> current = new AtomicReference<>();

	/**
	 * Create an inbox.
	 * @param prefix prefix of the channels of members
	 * @param member id of the member, which changes if its identity is replaced
	 * @param messages called with each message
	 * @param subscribed called after each subscription; earlier messages may be lost
	 */
	Inbox(String prefix, Supplier<String> member, RedisSettings settings, Topology topology, Opener opener,
			ScheduledExecutorService executor, Consumer<String> messages, Runnable subscribed) {
		this.prefix = prefix;
		this.member = member;
		this.settings = settings;
		this.topology = topology;
		this.opener = opener;
		this.executor = executor;
		this.messages = messages;
		this.subscribed = subscribed;
		this.silence = new SilenceCheck(settings.silenceTimeout(), executor);
	}

	/**
	 * Return whether messages arrive now, as far as is known. Callers wait for the first
	 * attempt to subscribe.
	 * @param deadline reading of {@link System#nanoTime()} at which to stop waiting
	 */
	boolean isReceiving(long deadline) {
		if (this.settings.wakeUp() == WakeUp.POLL) {
			return false;
		}
		start();
		if (!this.firstAttempt.isDone()) {
			awaitFirstAttempt(deadline);
		}
		Subscription subscription = this.current.get();
		return subscription != null && subscription.check();
	}

	/** Return whether the member is subscribed, as far as is known. Never blocks. */
	boolean isSubscribed() {
		Subscription subscription = this.current.get();
		return subscription != null && subscription.isOpen() && subscription.isOfMember();
	}

	/**
	 * Begin to subscribe, unless that has begun or claims only poll. The subscription of
	 * a former identity of the member is replaced. Never blocks.
	 */
	void start() {
		Subscription former = this.current.get();
		if (former != null && !former.isOfMember()) {
			this.executor.execute(former::close);
		}
		if (this.settings.wakeUp() != WakeUp.POLL && former == null) {
			this.subscribing.plan(() -> this.executor.execute(this::open));
		}
	}

	private void awaitFirstAttempt(long deadline) {
		try {
			Replies.await(this.firstAttempt, deadline);
		}
		catch (RedisFailure ex) {
			logger.debug("Waiting claims poll until there is a subscription", ex);
		}
	}

	private void open() {
		Node node = null;
		Subscription subscription = null;
		try {
			node = Replies.await(this.topology.anyPrimary(),
					System.nanoTime() + this.settings.commandTimeout().toNanos());
			Subscription opened = new Subscription(node);
			opened.open();
			subscription = opened;
			this.current.set(opened);
			if (opened.isOpen()) {
				this.subscribed.run();
			}
			else {
				opened.lost();
			}
		}
		catch (RuntimeException | Error ex) { // such as no thread for Lettuce
			logger.debug("No subscription to '%s'; retrying".formatted(channel(this.member.get())), ex);
			if (subscription != null) {
				subscription.lost();
				return;
			}
			if (node != null) {
				this.topology.doubt(node);
			}
			openLater(isRejected(ex) ? RETRY_AFTER_REJECTION_MILLIS : RETRY_MILLIS);
		}
		finally {
			this.firstAttempt.complete(true);
		}
	}

	/** Return whether an operator has to change something before a retry can succeed. */
	private boolean isRejected(Throwable failure) {
		if (!(failure instanceof RedisFailure reply) || !reply.isLasting()) {
			return false;
		}
		if (this.rejected.compareAndSet(false, true)) {
			logger.warn(("Redis rejects the subscription to '%s': %s. Waiting threads are not notified and poll. Grant "
					+ "the account access to this channel, correct its password, or set leasehold.redis.wake-up to poll")
				.formatted(channel(this.member.get()), reply.getMessage()));
		}
		return true;
	}

	private String channel(String ofMember) {
		return this.prefix + ofMember;
	}

	private void openLater(long delayMillis) {
		this.executor.schedule(this::open, delayMillis, TimeUnit.MILLISECONDS);
	}

	/** End the subscription if its server is no longer a primary; a new one follows. */
	void keepOnly(Set<Node> primaries) {
		Subscription subscription = this.current.get();
		if (subscription != null && !primaries.contains(subscription.node)) {
			subscription.close();
		}
	}

	/**
	 * Factory of subscribed connections.
	 */
	@FunctionalInterface
	interface Opener {

		SubscribedConnection listen(Node node, String channel, Consumer<String> messages, Runnable lost);

	}

	/** One subscribed connection, until it breaks. */
	private final class Subscription {

		private final Node node;

		private final String member = Inbox.this.member.get();

		private volatile @Nullable SubscribedConnection subscription;

		Subscription(Node node) {
			this.node = node;
		}

		void open() {
			this.subscription = Inbox.this.opener.listen(this.node, channel(this.member), Inbox.this.messages,
					this::lost);
		}

		boolean isOpen() {
			SubscribedConnection open = this.subscription;
			return open != null && open.isOpen();
		}

		boolean isOfMember() {
			return this.member.equals(Inbox.this.member.get());
		}

		/**
		 * Check the connection, unless the member's channel has changed, and return
		 * whether messages arrive as far as is known.
		 */
		boolean check() {
			SubscribedConnection open = this.subscription;
			if (!isOfMember()) {
				close();
				return false;
			}
			if (open != null) {
				Inbox.this.silence.begin(open);
			}
			return true;
		}

		void close() {
			SubscribedConnection open = this.subscription;
			if (open != null) {
				open.close();
			}
		}

		void lost() {
			if (Inbox.this.current.compareAndSet(this, null)) {
				try {
					close(); // until then, Lettuce keeps even a broken connection
				}
				finally {
					Inbox.this.topology.doubt(this.node);
					openLater(RETRY_MILLIS);
				}
			}
		}

	}

}
