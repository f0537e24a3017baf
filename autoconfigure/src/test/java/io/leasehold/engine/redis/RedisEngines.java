package io.leasehold.engine.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;

import io.leasehold.engine.redis.connection.LettuceConnector;
import io.leasehold.engine.redis.connection.LettuceTransport;
import io.leasehold.LockKey;
import io.leasehold.LockOptions;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.Renewal;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.engine.redis.connection.RedisConnections;
import io.leasehold.event.LockEventListener;
import io.leasehold.service.LockService;
import io.leasehold.service.ReleaseTiming;
import io.leasehold.test.contract.TestSettings;
import io.lettuce.core.KillArgs;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import org.awaitility.core.ConditionFactory;

import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Members of a test with an engine each, and the keyboard of the server's operator. Works
 * in a namespace of its own.
 */
public final class RedisEngines implements AutoCloseable {

	static final Duration LEASE = Duration.ofSeconds(10);

	/** Longer than a loaded machine stands still, and short enough to be waited out. */
	static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(2);

	private final String namespace = "test-" + UUID.randomUUID();

	private final int port;

	private final RedisSettings settings;

	private final RedisClient client;

	private final StatefulRedisConnection<String, String> operator;

	private final List<TestMember> members = new ArrayList<>();

	private final List<LockService> services = new ArrayList<>();

	RedisEngines(int port) {
		this(port, RedisURI.create("127.0.0.1", port), RedisEngines::settings);
	}

	RedisEngines(int port, String password) {
		this(port, RedisURI.builder().withHost("127.0.0.1").withPort(port).withPassword(password.toCharArray()).build(),
				RedisEngines::settings);
	}

	private RedisEngines(int port, RedisURI uri, Function<String, RedisSettings> settings) {
		this.port = port;
		this.settings = settings.apply(this.namespace);
		this.client = RedisClient.create(uri);
		this.operator = this.client.connect();
	}

	/** Members of a server that always responds: no request times out by the load. */
	public static RedisEngines patient(int port) {
		return new RedisEngines(port, RedisURI.create("127.0.0.1", port), RedisEngines::patientSettings);
	}

	public static RedisSettings patientSettings(String namespace) {
		return patientSettings(namespace, 0);
	}

	public static RedisSettings patientSettings(String namespace, int replicasToWait) {
		return new RedisSettings(namespace, Duration.ofSeconds(3), Duration.ofSeconds(10), Duration.ofSeconds(5),
				Duration.ofSeconds(5), Duration.ofSeconds(5), Duration.ofSeconds(20), Duration.ofMinutes(1),
				replicasToWait);
	}

	static RedisSettings settings(String namespace) {
		return settings(namespace, COMMAND_TIMEOUT, Duration.ofMinutes(1));
	}

	/** Settings with the shortest times that a command timeout permits. */
	static RedisSettings settings(String namespace, Duration commandTimeout, Duration fencingRetention) {
		return new RedisSettings(namespace, commandTimeout.dividedBy(2), commandTimeout.multipliedBy(2), commandTimeout,
				commandTimeout, commandTimeout.multipliedBy(2), Duration.ofSeconds(20), fencingRetention, 0);
	}

	/** Settings of those members that have no others. */
	RedisSettings settings() {
		return this.settings;
	}

	String namespace() {
		return this.namespace;
	}

	/** A new member that reaches the server directly. */
	TestMember member() {
		return member(this.port);
	}

	/** A new member that reaches the server through another port. */
	TestMember member(int throughPort) {
		return warm(new RedisStandaloneConfiguration("127.0.0.1", throughPort));
	}

	/** A new member that has connected. */
	TestMember warm(RedisConfiguration servers) {
		return warm(servers, MonotonicClock.SYSTEM);
	}

	/** A new member that has connected, and has a clock of its own. */
	TestMember warm(RedisConfiguration servers, MonotonicClock clock) {
		TestMember member = member(
				RedisConnections.by(new LettuceConnector(LettuceTransport.PLAIN, this.settings.commandTimeout()),
						servers, this.settings.commandTimeout()),
				this.settings, clock);
		warmUp(member);
		return member;
	}

	/**
	 * The first connection of a JVM on a loaded machine may take longer than a command.
	 */
	static void warmUp(TestMember member) {
		Claim claim = member.waiting("warm-up-" + member.member().id());
		ConditionFactory soon = await().pollDelay(Duration.ZERO).ignoreExceptions();
		soon.until(() -> member.engine().tryAcquire(claim) instanceof AcquisitionOutcome.Granted);
		soon.until(() -> member.engine().release(claim), (outcome) -> true);
	}

	/** A new member that has not connected yet. */
	TestMember member(RedisConfiguration servers) {
		return member(servers, this.settings);
	}

	/** A new member with settings of its own. */
	TestMember member(RedisConfiguration servers, RedisSettings settings) {
		return member(RedisConnections.by(new LettuceConnector(LettuceTransport.PLAIN, settings.commandTimeout()),
				servers, settings.commandTimeout()), settings);
	}

	/** A new member with connections of its own. */
	TestMember member(RedisConnections connections, RedisSettings settings) {
		return member(connections, settings, MonotonicClock.SYSTEM);
	}

	private TestMember member(RedisConnections connections, RedisSettings settings, MonotonicClock clock) {
		Member member = Member.of("test");
		TestMember result = new TestMember(member, new RedisLockEngine(connections, settings, member, clock), clock);
		this.members.add(result);
		return result;
	}

	/** A process that renews what it holds, through a member. */
	LockService service(TestMember member, LockEventListener listener) {
		LockOptions defaults = new LockOptions("test", member.engine().name(), LEASE, Duration.ofSeconds(30),
				Duration.ZERO, LockOptions.UNLIMITED);
		LockService service = new LockService(TestSettings.of(defaults), List.of(member.engine()), member.member(),
				member.clock(), List.of(listener), ReleaseTiming.IMMEDIATE);
		this.services.add(service);
		return service;
	}

	/** Release a claim in such a way that the message to the next one is lost. */
	void losesMessages(Claim holder, Claim next) {
		StatefulRedisPubSubConnection<String, String> nowhere = this.client.connectPubSub();
		nowhere.sync().subscribe("nowhere:" + next.owner().memberId());
		String owner = holder.owner().token();
		server().eval(Scripts.CLOSE.publishing().text(), ScriptOutputType.INTEGER, keys(holder.key().value()).all(),
				owner, "60000", "nowhere:", "3000", "0");
		nowhere.close();
	}

	/** Queue a claim as a request would that comes late. */
	void enqueues(Claim late) {
		String owner = late.owner().token();
		server().eval(Scripts.ACQUIRE.publishing().text(), ScriptOutputType.MULTI, keys(late.key().value()).all(),
				owner, "60000", RedisKeys.inboxPrefix(this.namespace), "3000", "3000", "+", "4000");
	}

	/** Cut the connections on which members are notified of their grants. */
	void cutInboxes() {
		server().clientKill(KillArgs.Builder.typePubsub());
	}

	/** Commands of an operator, straight to the server. */
	public RedisCommands<String, String> server() {
		return this.operator.sync();
	}

	RedisKeys keys(String key) {
		return RedisKeys.of(this.namespace, new LockKey(key));
	}

	/** How many scripts the server has run. */
	long scriptsRun() {
		return server().info("commandstats")
			.lines()
			.filter((line) -> line.startsWith("cmdstat_eval"))
			.mapToLong((line) -> Long.parseLong(line.replaceAll(".*:calls=(\\d+),.*", "$1")))
			.sum();
	}

	/** Names of what the store has of this test, fencing numbers apart. */
	List<String> residue() {
		return server().keys(this.namespace + ":*").stream().filter((name) -> !name.endsWith(":fence")).toList();
	}

	@Override
	public void close() {
		this.services.forEach(LockService::close);
		this.members.forEach((member) -> member.engine().close());
		this.client.shutdown();
	}

	/**
	 * A process.
	 */
	record TestMember(Member member, RedisLockEngine engine, MonotonicClock clock) {

		TestMember(Member member, RedisLockEngine engine) {
			this(member, engine, MonotonicClock.SYSTEM);
		}

		Claim claim(String key) {
			return claim(key, LEASE, false);
		}

		Claim waiting(String key) {
			return claim(key, LEASE, true);
		}

		long granted(Claim claim) {
			AcquisitionOutcome attempt = this.engine.tryAcquire(claim);
			assertThat(attempt).isInstanceOf(AcquisitionOutcome.Granted.class);
			return ((AcquisitionOutcome.Granted) attempt).number();
		}

		RenewalOutcome renew(Claim claim, long number) {
			return this.engine.renew(List.of(new Renewal(claim, number, LEASE))).get(0);
		}

		Claim claim(String key, Duration lease, boolean waits) {
			return new Claim(new LockKey(key), this.member.newOwner(), lease, Duration.ZERO, waits,
					this.clock.nanoTime());
		}

	}

}
