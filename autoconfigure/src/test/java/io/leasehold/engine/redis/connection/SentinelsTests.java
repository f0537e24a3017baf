package io.leasehold.engine.redis.connection;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import io.leasehold.engine.redis.ScriptedConnection;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

/**
 * Tests for which of the {@link Sentinels} is asked, and how often.
 */
class SentinelsTests {

	private static final Node FIRST = new Node("first", 1);

	private static final Node SECOND = new Node("second", 2);

	private static final Node MASTER = new Node("master", 6379);

	private static final List<String> ADDRESS = List.of("master", "6379");

	private final InOneThread executor = new InOneThread();

	private final Map<Node, ScriptedConnection> servers = new HashMap<>();

	private final List<Node> connected = new ArrayList<>();

	private final List<Set<Node>> primaries = new ArrayList<>();

	private final Sentinels sentinels = new Sentinels("mymaster", List.of(FIRST, SECOND), this::connect,
			new Questions(Duration.ofSeconds(20)), this.executor, this.primaries::add);

	@AfterEach
	void stop() {
		this.executor.shutdownNow();
	}

	private Connection connect(Node node) {
		this.connected.add(node);
		ScriptedConnection connection = this.servers.get(node);
		if (connection == null) {
			throw RedisFailure.noResponse(node + " is unreachable", null);
		}
		return connection;
	}

	@Test
	void masterIsAskedForOnceAndWatched() {
		ScriptedConnection first = serve(FIRST, ScriptedConnection.responding(ADDRESS));
		assertThat(this.sentinels.primaryOf("lock")).isCompletedWithValue(MASTER);
		assertThat(this.sentinels.anyPrimary()).isCompletedWithValue(MASTER);
		assertThat(first.sent()).containsExactly("SENTINEL get-master-addr-by-name mymaster");
		assertThat(this.primaries).containsExactly(Set.of(MASTER));
		assertThat(this.executor.watches).hasSize(1);
	}

	@Test
	void sentinelThatRespondedIsQueriedAgainOnItsConnection() {
		ScriptedConnection first = serve(FIRST, ScriptedConnection.responding(ADDRESS));
		this.sentinels.anyPrimary();
		this.executor.watches.forEach(Runnable::run);
		assertThat(this.connected).containsExactly(FIRST);
		assertThat(first.sent()).hasSize(2);
		assertThat(first.closings()).isZero();
	}

	@Test
	void nextSentinelIsAskedIfOneIsUnreachableOrDoesNotKnow() {
		serve(SECOND, ScriptedConnection.responding(ADDRESS));
		assertThat(this.sentinels.anyPrimary()).isCompletedWithValue(MASTER);
		assertThat(this.connected).containsExactly(FIRST, SECOND);
	}

	@Test
	void connectionOfASentinelThatDoesNotKnowIsClosed() {
		ScriptedConnection first = serve(FIRST, ScriptedConnection.responding(null));
		ScriptedConnection second = serve(SECOND, ScriptedConnection.responding(ADDRESS));
		assertThat(this.sentinels.anyPrimary()).isCompletedWithValue(MASTER);
		assertThat(first.closings()).isOne();
		assertThat(second.closings()).isZero();
	}

	@Test
	void othersAreAskedIfTheLastSentinelIsGone() {
		boolean[] gone = new boolean[1];
		serve(FIRST, new ScriptedConnection((command) -> gone[0] ? ScriptedConnection.refusal("ERR gone")
				: CompletableFuture.completedFuture(ADDRESS)));
		this.sentinels.anyPrimary().join();
		gone[0] = true;
		serve(SECOND, ScriptedConnection.responding(List.of("next", "6380")));
		this.executor.watches.forEach(Runnable::run);
		assertThat(this.sentinels.anyPrimary()).isCompletedWithValue(new Node("next", 6380));
		assertThat(this.connected).containsExactly(FIRST, FIRST, SECOND);
	}

	/** It is cut off from the others, and names a master that was replaced since. */
	@Test
	void anotherSentinelIsAskedAboutAMasterInDoubt() {
		ScriptedConnection first = serve(FIRST, ScriptedConnection.responding(ADDRESS));
		serve(SECOND, ScriptedConnection.responding(List.of("next", "6380")));
		this.sentinels.anyPrimary().join();
		this.sentinels.doubt(MASTER);
		assertThat(this.sentinels.anyPrimary()).isCompletedWithValue(new Node("next", 6380));
		assertThat(first.closings()).isOne();
	}

	@Test
	void failureNamesAllSentinelsAndTheirResponses() {
		serve(SECOND, ScriptedConnection.responding(List.of()));
		assertThatExceptionOfType(RedisFailure.class)
			.isThrownBy(() -> Replies.await(this.sentinels.anyPrimary(), System.nanoTime()))
			.withMessage("No sentinel of [first:1, second:2] knows master 'mymaster'")
			.satisfies((failure) -> assertThat(failure.getSuppressed()).extracting(Throwable::getMessage)
				.containsExactly("first:1 is unreachable", "Unexpected response to SENTINEL: []"));
	}

	@Test
	void rejectionByAllSentinelsIsARejection() {
		serve(FIRST, new ScriptedConnection((command) -> ScriptedConnection.refusal("NOAUTH password required")));
		serve(SECOND, new ScriptedConnection((command) -> ScriptedConnection.refusal("NOAUTH password required")));
		assertThatExceptionOfType(RedisFailure.class)
			.isThrownBy(() -> Replies.await(this.sentinels.anyPrimary(), System.nanoTime()))
			.withMessage("No sentinel of [first:1, second:2] knows master 'mymaster'")
			.matches((failure) -> failure.is("NOAUTH") && failure.isLasting());
	}

	/** A refresh and a first question may run in two threads. */
	@Test
	void oneConnectionIsKeptIfTwoQuestionsMeet() {
		ScriptedConnection inner = ScriptedConnection.responding(ADDRESS);
		ScriptedConnection outer = serve(FIRST, new ScriptedConnection((command) -> {
			serve(FIRST, inner);
			this.executor.watches.forEach(Runnable::run);
			return CompletableFuture.completedFuture(ADDRESS);
		}));
		assertThat(this.sentinels.anyPrimary()).isCompletedWithValue(MASTER);
		assertThat(inner.sent()).hasSize(1);
		assertThat(List.of(inner.closings(), outer.closings())).containsExactlyInAnyOrder(0, 1);
	}

	@Test
	void onlyAMasterIsVerified() {
		assertThatNoException()
			.isThrownBy(() -> this.sentinels.verify(ScriptedConnection.responding(List.of("master", 1L))));
		assertThatExceptionOfType(RedisFailure.class)
			.isThrownBy(() -> this.sentinels.verify(ScriptedConnection.responding(List.of("slave", "a", 1L))))
			.withMessage("READONLY The server that sentinels report as master 'mymaster' is not a master");
	}

	private ScriptedConnection serve(Node node, ScriptedConnection connection) {
		this.servers.put(node, connection);
		return connection;
	}

	/** Runs tasks at once, and what is repeated only on command. */
	private static final class InOneThread extends ScheduledThreadPoolExecutor {

		private final List<Runnable> watches = new ArrayList<>();

		InOneThread() {
			super(1);
		}

		@Override
		public void execute(Runnable task) {
			task.run();
		}

		@Override
		public ScheduledFuture<?> scheduleWithFixedDelay(Runnable task, long initialDelay, long delay, TimeUnit unit) {
			this.watches.add(task);
			return super.schedule(() -> {
			}, 0, unit);
		}

	}

}
