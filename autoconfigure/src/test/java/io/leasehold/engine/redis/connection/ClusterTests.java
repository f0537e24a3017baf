package io.leasehold.engine.redis.connection;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.leasehold.engine.redis.ScriptedConnection;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for where a {@link Cluster} sends requests.
 */
class ClusterTests {

	private static final Node SEED = new Node("seed", 1);

	private static final Node A = new Node("a", 6379);

	private static final Node B = new Node("b", 6379);

	/** A key of slot 0, and one of slot 16383. */
	private static final String LOWEST = "{3560}";

	private static final String HIGHEST = "{39296}";

	private final Map<Node, ScriptedConnection> servers = new HashMap<>();

	private final List<Set<Node>> primaries = new ArrayList<>();

	private final Cluster cluster = new Cluster(List.of(SEED), this::connect, new Questions(Duration.ofSeconds(20)),
			Runnable::run, this.primaries::add);

	private Connection connect(Node node) {
		ScriptedConnection connection = this.servers.get(node);
		if (connection == null) {
			throw RedisFailure.noResponse(node + " is unreachable", null);
		}
		return connection;
	}

	@Test
	void lockIsOnThePrimaryOfItsSlot() {
		serve(SEED, range(0, 8191, A), range(8192, 16383, B));
		assertThat(this.cluster.primaryOf(LOWEST)).isCompletedWithValue(A);
		assertThat(this.cluster.primaryOf(HIGHEST)).isCompletedWithValue(B);
		assertThat(this.servers.get(SEED).sent()).containsExactly("CLUSTER SLOTS");
		assertThat(this.servers.get(SEED).closings()).isOne();
		assertThat(this.primaries).containsExactly(Set.of(A, B));
	}

	@Test
	void slotThatNoNodeServesIsRejectedAndQueriedAgain() {
		serve(SEED, range(0, 8191, A));
		assertThatExceptionOfType(RedisFailure.class)
			.isThrownBy(() -> Replies.await(this.cluster.primaryOf(HIGHEST), System.nanoTime()))
			.withMessage("CLUSTERDOWN No node serves slot 16383")
			.matches((failure) -> failure.is("CLUSTERDOWN"));
		assertThat(this.servers.get(SEED).sent()).hasSize(2);
	}

	@Test
	void knownPrimaryIsAskedBeforeTheSeed() {
		serve(SEED, range(0, 16383, A));
		this.cluster.anyPrimary().join();
		serve(A, range(0, 16383, B));
		this.cluster.doubt(A);
		assertThat(this.cluster.anyPrimary()).isCompletedWithValue(B);
		assertThat(this.servers.get(SEED).sent()).hasSize(1);
		this.cluster.doubt(B);
		assertThat(this.cluster.anyPrimary()).as("by the seed, since B is unreachable").isCompletedWithValue(A);
	}

	@Test
	void failureNamesTheResponseOfEachNode() {
		assertThatExceptionOfType(RedisFailure.class)
			.isThrownBy(() -> Replies.await(this.cluster.anyPrimary(), System.nanoTime()))
			.withMessage("No node of the cluster responds")
			.satisfies((failure) -> assertThat(failure.getSuppressed()).extracting(Throwable::getMessage)
				.containsExactly("seed:1 is unreachable"));
	}

	@Test
	void rejectionByEachNodeIsARejection() {
		this.servers.put(SEED, new ScriptedConnection((command) -> ScriptedConnection.refusal("NOPERM no permission")));
		assertThatExceptionOfType(RedisFailure.class)
			.isThrownBy(() -> Replies.await(this.cluster.anyPrimary(), System.nanoTime()))
			.withMessage("No node of the cluster responds")
			.matches((failure) -> failure.is("NOPERM") && failure.isLasting());
	}

	@Test
	void slotThatHasMovedIsFollowedBeforeTheNodesAreAsked() {
		serve(SEED, range(0, 16383, A));
		this.cluster.anyPrimary().join();
		this.servers.clear();
		assertThat(redirection("MOVED 0 b:6379")).isEqualTo(new Topology.Redirection(B, false));
		assertThat(this.cluster.primaryOf(LOWEST)).isCompletedWithValue(B);
		assertThat(this.cluster.primaryOf(HIGHEST)).isCompletedWithValue(A);
	}

	@Test
	void slotOnTheMoveIsWhereItWas() {
		serve(SEED, range(0, 16383, A));
		this.cluster.anyPrimary().join();
		assertThat(redirection("ASK 0 b:6379")).isEqualTo(new Topology.Redirection(B, true));
		assertThat(this.cluster.primaryOf(LOWEST)).isCompletedWithValue(A);
		assertThat(this.servers.get(SEED).sent()).hasSize(1);
	}

	/** A node that does not know its own host names the port only. */
	@Test
	void redirectionWithoutAHostGoesToTheHostThatGaveIt() {
		serve(SEED, range(0, 16383, A));
		assertThat(redirection("MOVED 0 :6380")).isEqualTo(new Topology.Redirection(new Node("a", 6380), false));
	}

	/** The next request finds its node by the slots, which contain the address. */
	@ParameterizedTest
	@ValueSource(strings = { "MOVED", "ASK" })
	void redirectionToAnUnknownHostIsAQueryOfTheSlots(String code) {
		serve(SEED, range(0, 16383, A));
		this.cluster.anyPrimary().join();
		serve(A, range(0, 16383, B));
		assertThat(redirection(code + " 0 ?:6379")).isNull();
		assertThat(this.cluster.primaryOf(LOWEST)).isCompletedWithValue(B);
	}

	@Test
	void otherRefusalsAreNoRedirections() {
		assertThat(redirection("TRYAGAIN 0 b:6379")).isNull();
	}

	private Topology.Redirection redirection(String refusal) {
		return this.cluster.redirection(RedisFailure.refusal(refusal, null), A);
	}

	private void serve(Node node, Object... ranges) {
		this.servers.put(node, ScriptedConnection.responding(List.of(ranges)));
	}

	private static List<Object> range(long from, long to, Node primary) {
		return List.of(from, to, List.of(primary.host(), (long) primary.port()));
	}

}
