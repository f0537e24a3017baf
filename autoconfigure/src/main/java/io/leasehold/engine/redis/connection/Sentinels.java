package io.leasehold.engine.redis.connection;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;

import io.leasehold.engine.support.PlannedOnce;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Master that is named by sentinels. They are queried again when a connection broke, and
 * every second: a deposed master may be the last to detect it.
 */
final class Sentinels implements Topology {

	private static final Log logger = LogFactory.getLog(Sentinels.class);

	private static final long WATCH_MILLIS = 1000;

	private final String name;

	private final List<Node> sentinels;

	private final Function<Node, Connection> connector;

	private final Questions questions;

	private final ScheduledExecutorService executor;

	private final Known<Node> master;

	private final PlannedOnce watch = new PlannedOnce();

	/** Index of the sentinel that is queried first without a connection. */
	private final AtomicInteger first = new AtomicInteger();

	/** Connection to the sentinel that responded last. */
	private final AtomicReference<@Nullable Connection> sentinel = new AtomicReference<>();

	/**
	 * Create sentinels.
	 * @param name name of the master
	 * @param sentinels addresses of the sentinels
	 * @param connector opens a connection to a sentinel
	 * @param questions queries servers
	 * @param executor runs the queries
	 * @param primaries called with the master after each query
	 */
	Sentinels(String name, List<Node> sentinels, Function<Node, Connection> connector, Questions questions,
			ScheduledExecutorService executor, Consumer<Set<Node>> primaries) {
		this.name = name;
		this.sentinels = List.copyOf(sentinels);
		this.connector = connector;
		this.questions = questions;
		this.executor = executor;
		this.master = new Known<>(this::readMaster, (node) -> primaries.accept(Set.of(node)), executor);
	}

	@Override
	public CompletableFuture<Node> primaryOf(String lock) {
		return anyPrimary();
	}

	@Override
	public CompletableFuture<Node> anyPrimary() {
		this.watch.plan(() -> this.executor.scheduleWithFixedDelay(this::watch, WATCH_MILLIS, WATCH_MILLIS,
				TimeUnit.MILLISECONDS));
		return this.master.get();
	}

	private void watch() {
		try {
			this.master.refresh();
		}
		catch (RuntimeException | Error ex) {
			// One that is thrown ends a periodic task
			logger.debug("The query of the master of sentinels was not sent; retrying", ex);
		}
	}

	@Override
	public void verify(Connection connection) {
		if (!"master".equals(this.questions.list(connection, "ROLE").get(0))) {
			throw RedisFailure.refusal(
					"READONLY The server that sentinels report as master '%s' is not a master".formatted(this.name),
					null);
		}
	}

	/** Query another sentinel next: this one may be cut off from the others. */
	@Override
	public void doubt(Node primary) {
		Connection known = this.sentinel.getAndSet(null);
		if (known != null) {
			known.close();
			this.first.incrementAndGet();
		}
		this.master.forget(primary);
	}

	private Node readMaster() {
		List<RedisFailure> failures = new ArrayList<>();
		Connection known = this.sentinel.getAndSet(null);
		Node response = (known != null) ? masterBy(known, failures) : null;
		int begin = this.first.get();
		for (int i = 0; response == null && i < this.sentinels.size(); i++) {
			int index = Math.floorMod(begin + i, this.sentinels.size());
			this.first.set(index);
			response = masterBy(this.sentinels.get(index), failures);
		}
		if (response != null) {
			return response;
		}
		throw RedisFailure.ofSeveral("No sentinel of %s knows master '%s'".formatted(this.sentinels, this.name),
				failures, failures.size());
	}

	private @Nullable Node masterBy(Node node, List<RedisFailure> failures) {
		try {
			return masterBy(this.connector.apply(node), failures);
		}
		catch (RedisFailure ex) {
			failures.add(ex);
			return null;
		}
	}

	private @Nullable Node masterBy(Connection connection, List<RedisFailure> failures) {
		try {
			List<?> address = this.questions.list(connection, "SENTINEL", "get-master-addr-by-name", this.name);
			Connection other = this.sentinel.getAndSet(connection);
			if (other != null) {
				other.close();
			}
			return new Node((String) address.get(0), Integer.parseInt((String) address.get(1)));
		}
		catch (RedisFailure ex) {
			connection.close();
			failures.add(ex);
			return null;
		}
	}

}
