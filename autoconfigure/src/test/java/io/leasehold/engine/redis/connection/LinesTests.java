package io.leasehold.engine.redis.connection;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

import io.leasehold.engine.redis.ScriptedConnection;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for which connection {@link Lines} choose for a request.
 */
class LinesTests {

	private static final Script<Long> SCRIPT = new Script<>("return 1", "e0e1f9fabfc9d4800c877a703b823ac0578ff8db");

	private static final Node A = new Node("a", 1);

	private static final Node B = new Node("b", 2);

	private static final RedisFailure UNREACHABLE = RedisFailure.noResponse("unreachable", null);

	private static final RedisFailure NEVER_SENT = RedisFailure.neverSent(UNREACHABLE);

	private static final RedisFailure MOVED = RedisFailure.refusal("MOVED", null);

	private static final RedisFailure ASK = RedisFailure.refusal("ASK", null);

	private final Servers servers = new Servers();

	private final Map<Node, List<ScriptedConnection>> opened = new HashMap<>();

	private final Queue<Runnable> openings = new ArrayDeque<>();

	private @Nullable RedisFailure refused;

	private Executor executor = Runnable::run;

	private final Lines lines = new Lines(this.servers, this::open, (task) -> this.executor.execute(task));

	private Line open(Node node) {
		if (this.refused != null) {
			throw this.refused;
		}
		ScriptedConnection connection = ScriptedConnection.silent();
		this.opened.computeIfAbsent(node, (unknown) -> new ArrayList<>()).add(connection);
		return new Line(node, connection, Duration.ofSeconds(1));
	}

	@Test
	void openLineIsUsedAgain() {
		Line line = this.lines.to("lock").join();
		assertThat(line.node()).isEqualTo(A);
		assertThat(this.lines.to("another lock").join()).isSameAs(line);
		assertThat(this.servers.doubted).isEmpty();
	}

	@Test
	void callersShareALineThatIsBeingOpened() {
		this.executor = this.openings::add;
		CompletableFuture<Line> first = this.lines.to("lock");
		CompletableFuture<Line> second = this.lines.to("lock");
		assertThat(this.openings).hasSize(1);
		this.openings.remove().run();
		assertThat(first.join()).isSameAs(second.join());
	}

	@Test
	void brokenLineIsReplacedAndItsServerDoubted() {
		Line broken = this.lines.to("lock").join();
		broken.close();
		Line next = this.lines.to("lock").join();
		assertThat(next).isNotSameAs(broken);
		assertThat(next.isUsable()).isTrue();
		assertThat(this.servers.doubted).containsExactly(A);
	}

	@Test
	void lineThatCouldNotBeOpenedIsTriedAgain() {
		this.refused = UNREACHABLE;
		assertThat(this.lines.to("lock")).isCompletedExceptionally();
		this.refused = null;
		assertThat(this.lines.to("lock").join().node()).isEqualTo(A);
		assertThat(this.servers.doubted).containsExactly(A);
	}

	@Test
	void lineOfTheNextPrimaryIsOpenedIfTheDoubtFindsOne() {
		this.lines.to("lock").join().close();
		this.servers.next = B;
		assertThat(this.lines.to("lock").join().node()).isEqualTo(B);
	}

	@Test
	void responseIsReturnedAndTheRequestIsSentOnce() {
		List<Line> requested = new ArrayList<>();
		assertThat(request(requested, () -> "response")).isEqualTo("response");
		assertThat(requested).hasSize(1);
	}

	@Test
	void requestThatMayHaveRunIsNotRepeated() {
		List<Line> requested = new ArrayList<>();
		assertThatExceptionOfType(RedisFailure.class).isThrownBy(() -> request(requested, () -> {
			throw UNREACHABLE;
		})).isSameAs(UNREACHABLE);
		assertThat(requested).hasSize(1);
	}

	@Test
	void requestThatIsNeverSentIsGivenUpAfterSixAttempts() {
		List<Line> requested = new ArrayList<>();
		assertThatExceptionOfType(RedisFailure.class).isThrownBy(() -> request(requested, () -> {
			requested.get(requested.size() - 1).close();
			throw NEVER_SENT;
		})).isSameAs(NEVER_SENT);
		assertThat(requested).hasSize(6).doesNotHaveDuplicates();
	}

	@Test
	void requestFollowsItsSlot() {
		List<Line> requested = new ArrayList<>();
		assertThat(request(requested, () -> {
			if (requested.size() == 1) {
				throw MOVED;
			}
			return "response";
		})).isEqualTo("response");
		assertThat(requested).extracting(Line::node).containsExactly(A, B);
		assertThat(this.opened.get(B)).singleElement().matches((connection) -> connection.sent().isEmpty());
	}

	@Test
	void lineForSlotsOnTheMoveIsSeparateAndKept() {
		Line first = this.lines.instead("lock", ASK, this.lines.to("lock").join()).join();
		Line second = this.lines.instead("lock", ASK, this.lines.to("lock").join()).join();
		assertThat(first).isSameAs(second);
		first.send(SCRIPT, new String[0], new String[0]);
		assertThat(this.opened.get(B)).singleElement()
			.satisfies((connection) -> assertThat(connection.sent()).first().isEqualTo("ASKING"));
		assertThat(this.lines.instead("lock", MOVED, first).join()).isNotSameAs(first);
	}

	@Test
	void lineForSlotsOnTheMoveIsReplacedWhenBroken() {
		Line first = this.lines.instead("lock", ASK, this.lines.to("lock").join()).join();
		first.close();
		Line second = this.lines.instead("lock", ASK, this.lines.to("lock").join()).join();
		assertThat(second).isNotSameAs(first);
		assertThat(second.isUsable()).isTrue();
	}

	@Test
	void lineIsOnlyThereIfItIsOpenNow() {
		this.executor = this.openings::add;
		assertThat(this.lines.ifOpen("lock")).isNull();
		this.openings.remove().run();
		assertThat(this.lines.ifOpen("lock")).isNotNull();
		this.lines.to("lock").join().close();
		assertThat(this.lines.ifOpen("lock")).isNull();
		this.refused = UNREACHABLE;
		this.openings.remove().run();
		this.executor = Runnable::run;
		assertThat(this.lines.ifOpen("lock")).isNull();
	}

	@Test
	void linesToFormerPrimariesAreClosed() {
		Line kept = this.lines.to("lock").join();
		Line former = this.lines.instead("lock", MOVED, kept).join();
		Line asking = this.lines.instead("lock", ASK, kept).join();
		this.lines.keepOnly(Set.of(A));
		assertThat(kept.isUsable()).isTrue();
		assertThat(former.isUsable()).isFalse();
		assertThat(asking.isUsable()).isFalse();
		assertThat(this.lines.to("lock").join()).isSameAs(kept);
		assertThat(this.lines.instead("lock", MOVED, kept).join()).isNotSameAs(former);
		assertThat(this.opened.get(A)).singleElement().extracting(ScriptedConnection::closings).isEqualTo(0);
	}

	private String request(List<Line> requested, Supplier<String> response) {
		return this.lines.request("lock", System.nanoTime() + Duration.ofSeconds(20).toNanos(), (line) -> {
			requested.add(line);
			return response.get();
		});
	}

	/** One server, which may name another one for a request. */
	private static final class Servers implements Topology {

		private final List<Node> doubted = new ArrayList<>();

		private Node primary = A;

		private @Nullable Node next;

		@Override
		public CompletableFuture<Node> primaryOf(String lock) {
			return CompletableFuture.completedFuture(this.primary);
		}

		@Override
		public CompletableFuture<Node> anyPrimary() {
			return primaryOf("");
		}

		@Override
		public void doubt(Node node) {
			this.doubted.add(node);
			this.primary = (this.next != null) ? this.next : this.primary;
		}

		@Override
		public @Nullable Redirection redirection(RedisFailure refusal, Node from) {
			return refusal.isRedirection() ? new Redirection(B, refusal.is("ASK")) : null;
		}

	}

}
