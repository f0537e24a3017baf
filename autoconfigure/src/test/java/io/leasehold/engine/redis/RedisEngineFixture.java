package io.leasehold.engine.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;

import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.redis.RedisEngines.TestMember;
import io.leasehold.engine.redis.connection.Connection;
import io.leasehold.engine.redis.connection.Connector;
import io.leasehold.engine.redis.connection.SubscribedConnection;
import io.leasehold.engine.redis.connection.Login;
import io.leasehold.engine.redis.connection.Node;
import io.leasehold.engine.redis.connection.RedisConnections;
import io.leasehold.engine.redis.connection.RedisFailure;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * An engine on a server that the test decides for.
 */
abstract class RedisEngineFixture {

	final Servers servers = new Servers();

	@Nullable RedisLockEngine engine;

	@AfterEach
	void close() {
		if (this.engine != null) {
			this.engine.close();
		}
	}

	static Duration retryIn(TestMember member) {
		AcquisitionOutcome attempt = member.engine().tryAcquire(member.claim("k"));
		assertThat(attempt).isInstanceOf(AcquisitionOutcome.Busy.class);
		return ((AcquisitionOutcome.Busy) attempt).retryIn();
	}

	List<String> closes() {
		return this.servers.opened.stream()
			.flatMap((connection) -> connection.sent().stream())
			.filter((command) -> command.startsWith("EVALSHA " + Scripts.CLOSE.publishing().digest()))
			.toList();
	}

	TestMember member(int replicas) {
		RedisSettings settings = RedisEngines.patientSettings("test", replicas);
		Member member = Member.of("test");
		this.engine = new RedisLockEngine(RedisConnections.by(this.servers,
				new RedisStandaloneConfiguration("redis.example", 6379), settings.commandTimeout()), settings, member,
				MonotonicClock.SYSTEM);
		return new TestMember(member, this.engine);
	}

	/** A server that grants and renews all locks, if it can be reached. */
	static final class Servers implements Connector {

		final List<ScriptedConnection> opened = new CopyOnWriteArrayList<>();

		final CompletableFuture<Thread> connecting = new CompletableFuture<>();

		final CountDownLatch mayFail = new CountDownLatch(1);

		volatile boolean reachable = true;

		volatile boolean listening;

		volatile Consumer<String> messages = (message) -> {
		};

		/** The script for a free lock decides nothing. */
		volatile Object free = 0L;

		volatile CompletableFuture<@Nullable Object> acquire = CompletableFuture
			.completedFuture(List.of("granted", "5"));

		volatile CompletableFuture<@Nullable Object> close = CompletableFuture.completedFuture(1L);

		@Override
		public Connection connect(Node node, Login login) {
			this.connecting.complete(Thread.currentThread());
			if (!this.reachable) {
				awaitClose();
				throw RedisFailure.noResponse("unreachable", null);
			}
			ScriptedConnection connection = new ScriptedConnection(this::response);
			this.opened.add(connection);
			return connection;
		}

		void awaitClose() {
			boolean interrupted = true;
			while (interrupted) {
				try {
					this.mayFail.await();
					interrupted = false;
				}
				catch (InterruptedException ex) {
					// The engine closes its connections next
				}
			}
		}

		CompletableFuture<@Nullable Object> response(String command) {
			if (command.startsWith("EVALSHA " + Scripts.ACQUIRE_FREE.digest())) {
				return CompletableFuture.completedFuture(this.free);
			}
			if (command.startsWith("EVALSHA " + Scripts.RELEASE_SOLE.digest())) {
				return CompletableFuture.completedFuture(0L);
			}
			if (command.startsWith("EVALSHA " + Scripts.ACQUIRE.publishing().digest())) {
				return this.acquire;
			}
			if (command.startsWith("EVALSHA " + Scripts.RENEW.digest())) {
				return CompletableFuture.completedFuture(1L);
			}
			if (command.startsWith("EVALSHA " + Scripts.CLOSE.publishing().digest())) {
				return this.close;
			}
			return CompletableFuture.completedFuture(command.startsWith("WAIT") ? 1L : "");
		}

		@Override
		public SubscribedConnection listen(Node node, Login login, String channel, Consumer<String> messages,
				Runnable lost) {
			if (!this.listening) {
				throw RedisFailure.refusal("NOPERM", null);
			}
			this.messages = messages;
			return new OpenConnection();
		}

		@Override
		public void close() {
			this.mayFail.countDown();
		}

	}

	/** A subscription without messages. */
	static final class OpenConnection implements SubscribedConnection {

		@Override
		public boolean isOpen() {
			return true;
		}

		@Override
		public CompletionStage<?> ping() {
			return CompletableFuture.completedFuture("PONG");
		}

		@Override
		public void close() {
		}

	}

}
