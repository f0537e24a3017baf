package io.leasehold.engine.memcached;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;

import com.spotify.folsom.BackoffFunction;
import com.spotify.folsom.ExponentialBackoff;
import com.spotify.folsom.GetResult;
import com.spotify.folsom.MemcacheClient;
import com.spotify.folsom.MemcacheClientBuilder;
import com.spotify.folsom.MemcacheStatus;
import io.leasehold.LockEngineException;
import io.leasehold.engine.cas.CompareAndSetStore;
import io.leasehold.engine.support.Deadlines;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Entries of locks in memcached, by the Folsom client. Memcached loses entries when it
 * evicts them or is restarted. Thread-safe.
 */
public final class MemcachedStore implements CompareAndSetStore, AutoCloseable {

	/** Name of the engine on this store. */
	public static final String NAME = "memcached";

	/**
	 * Memcached reads its clock once a second, and counts whole seconds from that
	 * reading. If one reading is late, the next one skips a second. So an entry may end
	 * two seconds early, and earlier on a server that had no processor time for a while.
	 */
	private static final int LATE_CLOCK = 2;

	/** The longest time to live: memcached takes more than 30 days for a date. */
	public static final Duration LONGEST = Duration.ofDays(30).minusSeconds(LATE_CLOCK);

	private static final Log logger = LogFactory.getLog(MemcachedStore.class);

	/** In milliseconds. By default, the client would pause for up to a minute. */
	static final BackoffFunction RECONNECTION = new ExponentialBackoff(10, 2000, 2.5);

	private final MemcacheClient<String> client;

	private final Servers servers;

	/**
	 * How often the client has connected. A server that was restarted begins again with
	 * its versions, so one that was read before does not identify an entry any more.
	 */
	private final AtomicLong connections;

	private final Duration callTimeout;

	private MemcachedStore(MemcacheClient<String> client, Servers servers, AtomicLong connections,
			Duration callTimeout) {
		this.client = client;
		this.servers = servers;
		this.connections = connections;
		this.callTimeout = callTimeout;
	}

	/**
	 * Connect to servers. Each key is always on the same one of them. An unreachable
	 * server is only logged.
	 * @param servers such as {@code cache1:11211}; the port may be omitted
	 * @param callTimeout maximum time to wait for a response
	 * @return the store
	 * @throws IllegalArgumentException if an address is invalid
	 */
	public static MemcachedStore connect(List<String> servers, Duration callTimeout) {
		Servers placement = Servers.of(servers);
		AtomicLong connections = new AtomicLong();
		MemcacheClientBuilder<String> builder = new ReliableClientBuilder(StandardCharsets.US_ASCII,
				connections::incrementAndGet)
			.withKeyCharset(StandardCharsets.US_ASCII)
			.withConnectionTimeoutMillis(callTimeout.toMillis())
			// Only wakes the caller, which needs no thread of a pool
			.withReplyExecutor(Runnable::run)
			.withBackoff(RECONNECTION)
			// A second attempt could be sent by another connection
			.withRetry(false)
			.withNodeLocator(placement::locator);
		placement.addresses().forEach((address) -> builder.withAddress(address.getHost(), address.getPort()));
		MemcacheClient<String> client = builder.connectAscii();
		try {
			client.awaitConnected(callTimeout.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (TimeoutException ex) {
			logger.warn("Locks fail until memcached can be reached at " + servers);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		return new MemcachedStore(client, placement, connections, callTimeout);
	}

	@Override
	public @Nullable Entry read(String key) throws Exception {
		long connection = this.connections.get();
		GetResult<String> found = await(this.client.casGet(key));
		if (found == null) {
			return null;
		}
		if (found.getCas() == 0) {
			throw new LockEngineException(null,
					"memcached at %s keeps no versions of its entries, without which a lock can have two owners. "
						.formatted(location()) + "Start it without the option -C (cas_disabled)",
					null, false);
		}
		return new Entry(found.getValue(), new Version(connection, found.getCas()));
	}

	@Override
	public boolean create(String key, String value, Duration timeToLive) throws Exception {
		return isWritten(await(this.client.add(key, value, seconds(timeToLive))));
	}

	@Override
	public boolean replace(String key, Entry expected, String value, Duration timeToLive) throws Exception {
		Version version = (Version) expected.version();
		return version.connection == this.connections.get()
				&& isWritten(await(this.client.set(key, value, seconds(timeToLive), version.number)));
	}

	@Override
	public String location() {
		return this.servers.addresses().toString();
	}

	@Override
	public String part(String key) {
		return this.servers.of(key);
	}

	@Override
	public Duration maxTimeToLive() {
		return LONGEST;
	}

	private static int seconds(Duration timeToLive) {
		if (timeToLive.compareTo(LONGEST) > 0) {
			throw new IllegalArgumentException(
					"memcached keeps an entry for at most %s, not for %s. Shorten the lease, the minimum hold or the lock delay"
						.formatted(LONGEST, timeToLive));
		}
		return (int) timeToLive.plusSeconds(LATE_CLOCK).toSeconds();
	}

	private static boolean isWritten(MemcacheStatus status) {
		return switch (status) {
			case OK -> true;
			case KEY_EXISTS, KEY_NOT_FOUND, ITEM_NOT_STORED -> false;
			default -> throw new IllegalStateException("memcached responded " + status);
		};
	}

	private <T extends @Nullable Object> T await(CompletionStage<T> response) throws Exception {
		return Deadlines.await(response.toCompletableFuture(), Deadlines.after(this.callTimeout));
	}

	@Override
	public void close() {
		this.client.shutdown();
	}

	/**
	 * Version of an entry, unique while the client stays connected.
	 */
	private record Version(long connection, long number) {
	}

}
