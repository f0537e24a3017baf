package io.leasehold.engine.jdbc;

import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link Lanes}.
 */
class LanesTests {

	private static final Duration MINUTE = Duration.ofMinutes(1);

	private final Lanes lanes = new Lanes(2);

	@Test
	void acquisitionsLeaveOneConnectionToReleases() throws SQLException {
		assertThat(enterAll(CallKind.ACQUIRE)).hasSize(2);
		assertThat(enterAll(CallKind.RELEASE)).hasSize(1);
	}

	@Test
	void releasesMayUseTheConnectionsOfAcquisitions() throws Exception {
		List<Runnable> releases = enterAll(CallKind.RELEASE);
		assertThat(releases).hasSize(3);
		assertThat(enterAll(CallKind.ACQUIRE)).isEmpty();
		releases.get(0).run();
		assertThat(enterAll(CallKind.ACQUIRE)).hasSize(1);
	}

	@Test
	void acquisitionThatFailsOccupiesNothing() throws Exception {
		List<Runnable> releases = enterAll(CallKind.RELEASE);
		for (int i = 0; i < 3; i++) {
			assertThat(enterAll(CallKind.ACQUIRE)).isEmpty();
		}
		releases.forEach(Runnable::run);
		assertThat(enterAll(CallKind.ACQUIRE)).hasSize(2);
	}

	@Test
	void acquisitionsThatEndedLeaveTheirConnectionsToReleases() throws Exception {
		for (int i = 0; i < 3; i++) {
			enterAll(CallKind.ACQUIRE).forEach(Runnable::run);
		}
		assertThat(enterAll(CallKind.RELEASE)).hasSize(3);
	}

	@Test
	void renewalsAndRepeatedReleasesHaveSeparateConnections() throws SQLException {
		assertThat(enterAll(CallKind.RELEASE)).hasSize(3);
		assertThat(enterAll(CallKind.RENEW)).hasSize(Lanes.RENEWALS);
		assertThat(enterAll(CallKind.CLOSE)).hasSize(1);
		assertThat(this.lanes.total()).isEqualTo(3 + Lanes.RENEWALS + 1);
	}

	@Test
	void onlyAcquisitionsAreLimitedByTheSizeOfThePool() throws SQLException {
		enterAll(CallKind.ACQUIRE);
		enterAll(CallKind.RELEASE);
		assertThatExceptionOfType(SQLTransientConnectionException.class).isThrownBy(() -> enter(CallKind.ACQUIRE))
			.withMessageEndingWith("wait for the database (leasehold.jdbc.pool-size: 2)");
		assertThatExceptionOfType(SQLTransientConnectionException.class).isThrownBy(() -> enter(CallKind.RELEASE))
			.withMessageEndingWith("wait for the database");
	}

	@ParameterizedTest
	@EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "CLOSE")
	void callWaitsForAConnectionUntilItsDeadline(CallKind kind) throws Exception {
		List<Runnable> entered = enterAll(kind);
		CompletableFuture<Runnable> waiting = enterWithin(MINUTE.multipliedBy(10), kind);
		entered.get(0).run();
		assertThat(waiting.get(MINUTE.toSeconds(), TimeUnit.SECONDS)).isNotNull();
		assertThat(enterAll(kind)).isEmpty();
	}

	@Test
	void repeatedReleaseDoesNotWait() throws Exception {
		enterAll(CallKind.CLOSE);
		CompletableFuture<Runnable> rejected = later(
				() -> this.lanes.enter(CallKind.CLOSE, System.nanoTime() + MINUTE.multipliedBy(10).toNanos()));
		assertThat(rejected).failsWithin(MINUTE);
	}

	@Test
	void rowIsWaitedForAFractionOfTheCall() {
		Duration call = Duration.ofSeconds(4);
		assertThat(CallKind.ACQUIRE.lockTimeout(call)).isEqualTo(Duration.ofSeconds(3));
		assertThat(CallKind.RELEASE.lockTimeout(call)).isEqualTo(Duration.ofSeconds(3));
		assertThat(CallKind.RENEW.lockTimeout(call)).isEqualTo(Duration.ofSeconds(1));
		assertThat(CallKind.CLOSE.lockTimeout(call)).isEqualTo(Duration.ofSeconds(1));
	}

	/** Begin to wait in another thread. */
	private CompletableFuture<Runnable> enterWithin(Duration time, CallKind kind) {
		AtomicReference<Thread> caller = new AtomicReference<>();
		CompletableFuture<Runnable> result = later(() -> {
			caller.set(Thread.currentThread());
			return this.lanes.enter(kind, System.nanoTime() + time.toNanos());
		});
		await().until(() -> result.isDone()
				|| (caller.get() != null && caller.get().getState() == Thread.State.TIMED_WAITING));
		assertThat(result).isNotDone();
		return result;
	}

	private static CompletableFuture<Runnable> later(Entry entry) {
		CompletableFuture<Runnable> result = new CompletableFuture<>();
		Thread thread = new Thread(() -> {
			try {
				result.complete(entry.enter());
			}
			catch (SQLException | RuntimeException ex) {
				result.completeExceptionally(ex);
			}
		});
		thread.setDaemon(true);
		thread.start();
		return result;
	}

	/** Enter a lane until it is full, without waiting. */
	private List<Runnable> enterAll(CallKind kind) {
		List<Runnable> entered = new ArrayList<>();
		while (entered.size() < 10) {
			try {
				entered.add(enter(kind));
			}
			catch (SQLException ex) {
				return entered;
			}
		}
		return entered;
	}

	private Runnable enter(CallKind kind) throws SQLException {
		return this.lanes.enter(kind, System.nanoTime());
	}

	private interface Entry {

		Runnable enter() throws SQLException;

	}

}
