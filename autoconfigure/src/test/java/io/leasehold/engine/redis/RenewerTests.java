package io.leasehold.engine.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.IntStream;

import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.Renewal;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.engine.redis.connection.Line;
import io.leasehold.engine.redis.connection.Lines;
import io.leasehold.engine.redis.connection.Node;
import io.leasehold.engine.redis.connection.RedisFailure;
import io.leasehold.engine.redis.connection.Topology;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for how a {@link Renewer} divides renewals, and for whom it waits.
 */
class RenewerTests {

	private static final Duration LEASE = Duration.ofSeconds(30);

	private static final RedisFailure UNREACHABLE = RedisFailure.noResponse("unreachable", null);

	private static final Member MEMBER = Member.of("test");

	private static final CompletableFuture<@Nullable Object> RENEWED = CompletableFuture.completedFuture(1L);

	private static final Node A = new Node("a", 1);

	private static final Node B = new Node("b", 2);

	private final Map<Node, List<ScriptedConnection>> opened = new HashMap<>();

	private final Map<Node, Function<String, CompletableFuture<@Nullable Object>>> servers = new HashMap<>();

	private CompletableFuture<Node> primaryOfB = CompletableFuture.completedFuture(B);

	private boolean cluster = true;

	@Test
	void renewalsOfASingleServerAreSentByFiveHundred() {
		this.cluster = false;
		this.servers.put(A, (command) -> {
			int keys = keys(command);
			return CompletableFuture.completedFuture((keys > 1) ? Collections.nCopies(keys, 1L) : 1L);
		});
		assertThat(renew(renewer(), renewals("a", 1001), soon())).hasSize(1001)
			.hasOnlyElementsOfType(RenewalOutcome.Renewed.class);
		assertThat(keysOfRequests()).containsExactly(500, 500, 1);
		this.opened.clear();
		assertThat(renew(renewer(), renewals("a", 1000), soon())).hasSize(1000)
			.hasOnlyElementsOfType(RenewalOutcome.Renewed.class);
		assertThat(keysOfRequests()).containsExactly(500, 500);
	}

	private List<Integer> keysOfRequests() {
		return this.opened.get(A)
			.stream()
			.flatMap((connection) -> connection.sent().stream())
			.map(RenewerTests::keys)
			.toList();
	}

	private static int keys(String command) {
		return Integer.parseInt(command.replaceFirst("(?s)^.*? (\\d+) ns:2:.*", "$1"));
	}

	/** A renewal that may have run can be repeated. */
	@ParameterizedTest
	@ValueSource(strings = { "ERR bad lua script for redis cluster", "CROSSSLOT Keys in request" })
	void renewalsAreSentOneByOneWhereAScriptForSeveralLocksIsRejected(String rejection) {
		this.cluster = false;
		this.servers.put(A, (command) -> (keys(command) > 1) ? ScriptedConnection.refusal(rejection) : RENEWED);
		Renewer renewer = renewer();
		assertThat(renew(renewer, renewals("a", 3), soon())).hasSize(3)
			.hasOnlyElementsOfType(RenewalOutcome.Renewed.class);
		assertThat(renew(renewer, renewals("a", 2), soon())).hasSize(2)
			.hasOnlyElementsOfType(RenewalOutcome.Renewed.class);
		assertThat(keysOfRequests()).containsExactly(3, 1, 1, 1, 1, 1);
	}

	/** The text follows the digest, which the server does not know. */
	@Test
	void renewalsAreSentOneByOneWhereTheTextForSeveralLocksIsRejected() {
		this.cluster = false;
		this.servers.put(A, (command) -> (keys(command) == 1) ? RENEWED : ScriptedConnection
			.refusal(command.startsWith("EVALSHA") ? "NOSCRIPT" : "ERR bad lua script for redis cluster"));
		assertThat(renew(renewer(), renewals("a", 2), soon())).hasSize(2)
			.hasOnlyElementsOfType(RenewalOutcome.Renewed.class);
		assertThat(keysOfRequests()).containsExactly(2, 2, 1, 1);
	}

	@Test
	void rejectedRenewalOfOneLockIsUnknown() {
		this.cluster = false;
		this.servers.put(A, (command) -> ScriptedConnection.refusal("ERR rejected"));
		assertThat(renew(renewer(), renewals("a", 2), soon())).hasSize(2)
			.hasOnlyElementsOfType(RenewalOutcome.Unknown.class);
		assertThat(keysOfRequests()).containsExactly(2, 1, 1);
	}

	@Test
	void grantsOfEveryAccessAreRenewedByTheScriptForTheirNumber() {
		this.cluster = false;
		this.servers.put(A, (command) -> command.contains(Scripts.RENEW_EACH.digest())
				? CompletableFuture.completedFuture(List.of(1L, 0L)) : RENEWED);
		assertThat(renew(renewer(), renewals("a", 2), soon())).hasExactlyElementsOfTypes(RenewalOutcome.Renewed.class,
				RenewalOutcome.NotOwner.class);
		assertThat(renew(renewer(), renewals("a", 1), soon())).hasOnlyElementsOfType(RenewalOutcome.Renewed.class);
	}

	@Test
	void renewalsOfAClusterAreSentOneByOne() {
		this.servers.put(A, (command) -> RENEWED);
		renew(renewer(), renewals("a", 3), soon());
		assertThat(keysOfRequests()).containsExactly(1, 1, 1);
	}

	@Test
	void eachGrantHasASeparateResponseAndLease() {
		this.cluster = false;
		this.servers.put(A, (command) -> CompletableFuture.completedFuture(List.of(1L, 0L, 1L)));
		List<Renewal> renewals = List.of(renewal("a", LEASE), renewal("a", LEASE), renewal("a", LEASE.multipliedBy(2)));
		assertThat(renew(renewer(), renewals, soon())).containsExactly(
				new RenewalOutcome.Renewed(MonotonicClock.validUntil(7, LEASE)), new RenewalOutcome.NotOwner(),
				new RenewalOutcome.Renewed(MonotonicClock.validUntil(7, LEASE.multipliedBy(2))));
	}

	@Test
	void lateServerIsWaitedForOnceUntilItHasResponded() {
		CompletableFuture<@Nullable Object> late = new CompletableFuture<>();
		this.servers.put(A, (command) -> late);
		this.servers.put(B, (command) -> RENEWED);
		Renewer renewer = renewer();
		List<Renewal> both = List.of(renewal("a", LEASE), renewal("b", LEASE));
		assertThat(renew(renewer, both, shortly())).hasExactlyElementsOfTypes(RenewalOutcome.Unknown.class,
				RenewalOutcome.Renewed.class);
		assertThat(renew(renewer, both, never())).hasExactlyElementsOfTypes(RenewalOutcome.Unknown.class,
				RenewalOutcome.Renewed.class);
		late.complete(1L);
		CompletableFuture<@Nullable Object> slow = new CompletableFuture<>();
		this.servers.put(A, (command) -> slow);
		CompletableFuture<List<RenewalOutcome>> waiting = CompletableFuture
			.supplyAsync(() -> renew(renewer, both, never()));
		awaitRequests(A, 3);
		slow.complete(1L);
		assertThat(waiting.join()).hasOnlyElementsOfType(RenewalOutcome.Renewed.class);
	}

	/** Else the renewals of a process with one server would not be waited for at all. */
	@Test
	void lateServersAreWaitedForIfThereAreNoOthers() {
		this.servers.put(A, (command) -> new CompletableFuture<>());
		Renewer renewer = renewer();
		assertThat(renew(renewer, renewals("a", 1), shortly())).hasOnlyElementsOfType(RenewalOutcome.Unknown.class);
		CompletableFuture<@Nullable Object> slow = new CompletableFuture<>();
		this.servers.put(A, (command) -> slow);
		CompletableFuture<List<RenewalOutcome>> waiting = CompletableFuture
			.supplyAsync(() -> renew(renewer, renewals("a", 1), never()));
		awaitRequests(A, 2);
		slow.complete(1L);
		assertThat(waiting.join()).hasOnlyElementsOfType(RenewalOutcome.Renewed.class);
	}

	@Test
	void refusedRenewalIsUnknownAndNotRepeated() {
		this.servers.put(A, (command) -> ScriptedConnection.refusal("LOADING"));
		Renewer renewer = renewer();
		assertThat(renew(renewer, renewals("a", 1), soon())).singleElement()
			.isInstanceOfSatisfying(RenewalOutcome.Unknown.class,
					(unknown) -> assertThat(unknown.cause()).isInstanceOf(LockEngineException.class)
						.hasMessage("Redis could not renew lock 'a': LOADING"));
		assertThat(this.opened.get(A)).singleElement().matches((connection) -> connection.sent().size() == 1);
	}

	@Test
	void renewalsWithoutAKnownServerAreUnknown() {
		this.servers.put(A, (command) -> RENEWED);
		Renewer renewer = renewer();
		List<Renewal> both = List.of(renewal("b", LEASE), renewal("a", LEASE));
		this.primaryOfB = new CompletableFuture<>();
		assertThat(renew(renewer, both, shortly())).hasExactlyElementsOfTypes(RenewalOutcome.Unknown.class,
				RenewalOutcome.Renewed.class);
		this.primaryOfB = CompletableFuture.failedFuture(UNREACHABLE);
		assertThat(renew(renewer, both, soon())).hasExactlyElementsOfTypes(RenewalOutcome.Unknown.class,
				RenewalOutcome.Renewed.class);
	}

	@Test
	void scriptThatTheServerForgotIsSentOnceAsText() {
		this.servers.put(A, (command) -> command.startsWith("EVALSHA") ? ScriptedConnection.refusal("NOSCRIPT")
				: CompletableFuture.completedFuture(1L));
		assertThat(renew(renewer(), renewals("a", 1), soon())).hasOnlyElementsOfType(RenewalOutcome.Renewed.class);
		assertThat(this.opened.get(A)).singleElement()
			.satisfies((connection) -> assertThat(connection.sent()).hasSize(2)
				.last()
				.asString()
				.startsWith("EVAL " + Scripts.RENEW.text().substring(0, 10)));
	}

	@Test
	void renewalThatWasNeverSentIsSentAgainSixTimesAtMost() {
		this.servers.put(A, (command) -> ScriptedConnection.neverSent());
		assertThat(renew(renewer(), renewals("a", 1), soon())).hasOnlyElementsOfType(RenewalOutcome.Unknown.class);
		assertThat(this.opened.get(A)).hasSize(6);
	}

	private Renewer renewer() {
		Servers topology = new Servers();
		Lines lines = new Lines(topology, (node) -> {
			ScriptedConnection connection = new ScriptedConnection(
					(command) -> this.servers.getOrDefault(node, (unknown) -> RENEWED).apply(command));
			this.opened.computeIfAbsent(node, (unknown) -> new ArrayList<>()).add(connection);
			return new Line(node, connection, LEASE);
		}, Runnable::run);
		return new Renewer("ns", topology, lines, () -> 7);
	}

	private static List<RenewalOutcome> renew(Renewer renewer, List<Renewal> renewals, long deadline) {
		return renewer.renew(renewals, deadline);
	}

	private static List<Renewal> renewals(String server, int count) {
		return IntStream.range(0, count).mapToObj((i) -> renewal(server, LEASE)).toList();
	}

	private static Renewal renewal(String server, Duration lease) {
		Claim claim = new Claim(new LockKey(server), MEMBER.newOwner(), lease, Duration.ZERO, false, 0);
		return new Renewal(claim, 5, lease);
	}

	private void awaitRequests(Node node, int count) {
		while (this.opened.get(node).stream().mapToInt((connection) -> connection.sent().size()).sum() < count) {
			Thread.onSpinWait();
		}
	}

	/** What a test waits for has happened before. */
	private static long soon() {
		return System.nanoTime() + Duration.ofSeconds(20).toNanos();
	}

	private static long shortly() {
		return System.nanoTime() + Duration.ofMillis(20).toNanos();
	}

	/** Later than the test's own limit. */
	private static long never() {
		return System.nanoTime() + Duration.ofMinutes(10).toNanos();
	}

	/** Two servers, named like the keys that they serve. */
	private final class Servers implements Topology {

		@Override
		public CompletableFuture<Node> primaryOf(String lock) {
			return lock.contains("{b}") ? RenewerTests.this.primaryOfB : CompletableFuture.completedFuture(A);
		}

		@Override
		public CompletableFuture<Node> anyPrimary() {
			return primaryOf("");
		}

		@Override
		public boolean isCluster() {
			return RenewerTests.this.cluster;
		}

	}

}
