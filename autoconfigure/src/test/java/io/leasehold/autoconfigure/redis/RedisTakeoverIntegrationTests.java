package io.leasehold.autoconfigure.redis;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.leasehold.DistributedLocks;
import io.leasehold.HeldLock;
import io.leasehold.autoconfigure.Leasehold;
import io.leasehold.autoconfigure.LockEngineConfigurationException;
import io.leasehold.server.Ports;
import io.leasehold.server.RedisTestServer;
import io.leasehold.server.TestCertificate;
import io.leasehold.test.contract.Fault;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.ReadFrom;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SslOptions;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.resource.MappingSocketAddressResolver;
import io.lettuce.core.internal.HostAndPort;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import redis.clients.jedis.DefaultRedisCredentials;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.ClientResourcesBuilderCustomizer;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.data.redis.autoconfigure.JedisClientConfigurationBuilderCustomizer;
import org.springframework.boot.data.redis.autoconfigure.LettuceClientConfigurationBuilderCustomizer;
import org.springframework.boot.data.redis.autoconfigure.LettuceClientOptionsBuilderCustomizer;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.data.redis.connection.ReactiveRedisConnectionFactory;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisSocketConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration.LettuceClientConfigurationBuilder;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.connection.lettuce.RedisCredentialsProviderFactory;
import org.springframework.data.redis.connection.RedisConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * All ways to configure where and how an application connects to Redis: its locks are
 * where its data is, over the same kind of connection, or it does not start.
 */
@Tag("full")
@Fault(184)
class RedisTakeoverIntegrationTests {

	private static final String OPERATOR = "operator";

	private static final Pattern CLIENT = Pattern.compile("laddr=\\S+:(\\d+) .* ?name=(\\S*) .* user=(\\S+) ");

	@TempDir
	private static Path folder;

	/** The servers: that of the properties, and another one that also speaks TLS. */
	private static final List<RedisTestServer> servers = new ArrayList<>();

	private static final RedisClient client = RedisClient.create();

	private static final List<RedisCommands<String, String>> operators = new ArrayList<>();

	private static final List<GenericApplicationContext> parents = new ArrayList<>();

	private static int tls;

	private static TestCertificate certificate;

	@BeforeAll
	static void start() {
		certificate = TestCertificate.create(folder, "server");
		tls = Ports.free();
		String user = "user shop on >secret ~* &* +@all";
		servers.add(RedisTestServer.start(user));
		servers.add(RedisTestServer.start(user, "tls-port " + tls, "tls-cert-file " + certificate.certificate(),
				"tls-key-file " + certificate.key(), "tls-ca-cert-file " + certificate.certificate(),
				"tls-auth-clients no"));
		servers.forEach((server) -> operators.add(client
			.connect(RedisURI.builder().withHost("127.0.0.1").withPort(server.port()).withClientName(OPERATOR).build())
			.sync()));
	}

	@AfterAll
	static void stop() {
		client.shutdown();
		servers.forEach(RedisTestServer::close);
	}

	@AfterEach
	void closeParents() {
		parents.forEach(GenericApplicationContext::close);
		parents.clear();
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource
	void locksAreWhereTheDataIs(String way, UnaryOperator<ApplicationContextRunner> application) {
		operators.forEach(RedisCommands::flushall);
		application.apply(runner()).run((context) -> {
			assertThat(context).hasNotFailed();
			RedisConnectionFactory factory = context.getBean(RedisConnectionFactory.class);
			try (RedisConnection connection = factory.getConnection()) {
				connection.stringCommands().set("data".getBytes(), "1".getBytes());
				Set<String> ofApplication = await().until(RedisTakeoverIntegrationTests::clients,
						(clients) -> clients.size() == 1 || clients.size() == 2);
				DistributedLocks locks = context.getBean(DistributedLocks.class);
				try (HeldLock held = locks.acquire("order:42")) {
					assertThat(held.isValid()).isTrue();
					assertThat(places("*{order:42}")).as(way).isEqualTo(places("data")).isNotEmpty();
				}
				assertThat(clients()).as("port, name and user of connections").hasSize(1).isEqualTo(ofApplication);
			}
		});
	}

	static Stream<Arguments> locksAreWhereTheDataIs() {
		return Stream.of(way("properties", "spring.data.redis.database=2", "spring.data.redis.client-name=web"),
				way("properties with an account", "spring.data.redis.username=shop",
						"spring.data.redis.password=secret"),
				way("URL", "spring.data.redis.url=redis://shop:secret@127.0.0.1:" + other() + "/3"),
				way("URL with TLS", "spring.data.redis.url=rediss://shop:secret@127.0.0.1:" + tls + "/3",
						"spring.data.redis.ssl.bundle=redis"),
				way("SSL bundle", "spring.data.redis.port=" + tls, "spring.data.redis.ssl.bundle=redis"),
				way("connection details", (runner) -> runner.withBean(DataRedisConnectionDetails.class, Details::new)),
				own("factory", lettuce(single(other(), 2), named("web"))),
				own("factory with an account", lettuce(account(other()), named("web"))),
				own("factory with an account at the server of the properties",
						lettuce(account(servers.get(0).port()), named("web"))),
				own("factory with TLS", lettuce(account(tls), trusting().useSsl().build())),
				own("factory with TLS without verification",
						lettuce(single(tls, 0), plain().useSsl().disablePeerVerification().build())),
				own("factory of Jedis", new JedisConnectionFactory(account(other()), jedisNamed("web"))),
				way("Jedis by properties", "spring.data.redis.client-type=jedis", "spring.data.redis.port=" + other()),
				way("Jedis by properties with TLS", "spring.data.redis.client-type=jedis",
						"spring.data.redis.port=" + tls, "spring.data.redis.ssl.bundle=redis"),
				way("factory behind a proxy", (runner) -> runner.withBean(RedisConnectionFactory.class, () -> {
					LettuceConnectionFactory factory = lettuce(single(other(), 1), named("web"));
					factory.start();
					ProxyFactory proxy = new ProxyFactory(factory);
					proxy.setProxyTargetClass(false);
					return (RedisConnectionFactory) proxy.getProxy();
				})),
				way("primary factory", (runner) -> runner
					.withBean("first", RedisConnectionFactory.class, () -> lettuce(single(other(), 1), named("web")),
							(definition) -> definition.setPrimary(true))
					.withBean("second", RedisConnectionFactory.class, () -> lettuce(single(other(), 3), named("web")))),
				way("factory of the parent context", RedisTakeoverIntegrationTests::withParent),
				way("configuration customizer", (runner) -> runner.withBean(
						LettuceClientConfigurationBuilderCustomizer.class,
						() -> (builder) -> builder.clientName("customized").readFrom(ReadFrom.REPLICA_PREFERRED))),
				way("credentials provider",
						(runner) -> runner.withBean(LettuceClientConfigurationBuilderCustomizer.class,
								() -> (builder) -> builder.redisCredentialsProviderFactory(new Provider()))),
				way("options customizer",
						(runner) -> runner
							.withPropertyValues("spring.data.redis.port=" + tls, "spring.data.redis.ssl.enabled=true")
							.withBean(LettuceClientOptionsBuilderCustomizer.class,
									() -> (options) -> options.sslOptions(trusted()))),
				way("resources customizer",
						(runner) -> runner.withPropertyValues("spring.data.redis.host=redis.internal")
							.withBean(ClientResourcesBuilderCustomizer.class,
									() -> (resources) -> resources.socketAddressResolver(MappingSocketAddressResolver
										.create((HostAndPort address) -> HostAndPort.of("127.0.0.1", other()))))));
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource
	void applicationDoesNotStart(String way, String reason, UnaryOperator<ApplicationContextRunner> application) {
		application.apply(runner())
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(LockEngineConfigurationException.class)
				.hasMessageContaining(reason)
				.hasMessageContaining("leasehold.redis.connection-factory"));
	}

	static Stream<Arguments> applicationDoesNotStart() {
		return Stream.of(
				refused("two factories", "several connection factories [first, second]",
						(runner) -> runner
							.withBean("first", RedisConnectionFactory.class, () -> lettuce(single(other(), 1), null))
							.withBean("second", RedisConnectionFactory.class, () -> lettuce(single(other(), 2), null))),
				refused("factory that is declared as reactive beside that of Boot", "several connection factories",
						(runner) -> runner.withBean("reactive", ReactiveRedisConnectionFactory.class,
								() -> lettuce(single(other(), 1), null))),
				refused("name of no bean", "is 'typo', but there is no connection factory of that name",
						(runner) -> runner.withPropertyValues("leasehold.redis.connection-factory=typo")),
				refused("socket", "'own': it connects by a Unix domain socket",
						with(new LettuceConnectionFactory(new RedisSocketConfiguration("/tmp/redis.sock")))),
				refused("static replicas by properties", "it connects to static replicas",
						(runner) -> runner.withPropertyValues("spring.data.redis.masterreplica.nodes=127.0.0.1:1")),
				refused("static replicas", "'own': it connects to static replicas", with(replicas())),
				refused("general constructor", "instead of RedisStandaloneConfiguration",
						with(new LettuceConnectionFactory((RedisConfiguration) single(other(), 0)))),
				refused("Jedis with TLS of its own", "'own': it configures Jedis",
						with(new JedisConnectionFactory(single(tls, 0),
								JedisClientConfiguration.builder().useSsl().build()))),
				refused("Jedis with a customizer", "it configures Jedis",
						(runner) -> runner.withPropertyValues("spring.data.redis.client-type=jedis")
							.withBean(JedisClientConfigurationBuilderCustomizer.class,
									() -> RedisTakeoverIntegrationTests::customize)),
				refused("factory of another library", "is neither that of Lettuce nor that of Jedis",
						(runner) -> runner.withBean("own", RedisConnectionFactory.class,
								() -> new ForeignFactory(lettuce(single(other(), 0), null)))));
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource
	void addressesAreThoseOfTheFactory(String address, RedisConfiguration configuration) {
		LettuceConnectionFactory factory = new LettuceConnectionFactory(configuration, plain().build());
		ApplicationServers taken = ApplicationServers.of(new ApplicationFactory("own", factory), null);
		assertThat(taken.servers()).isSameAs(configuration);
	}

	static Stream<Arguments> addressesAreThoseOfTheFactory() {
		return Stream.of(Arguments.of("sentinels", new RedisSentinelConfiguration().master("m").sentinel("a", 1)),
				Arguments.of("cluster", new RedisClusterConfiguration(List.of("a:1", "b:2"))));
	}

	/** One of several factories is chosen by its name. */
	@ParameterizedTest
	@MethodSource("names")
	void namedFactoryIsUsed(String name, int database) {
		operators.forEach(RedisCommands::flushall);
		runner().withPropertyValues("leasehold.redis.connection-factory=" + name)
			.withBean("first", RedisConnectionFactory.class, () -> lettuce(single(other(), 1), null))
			.withBean("second", LettuceConnectionFactory.class, () -> lettuce(single(other(), 2), null),
					(definition) -> ((AbstractBeanDefinition) definition).setDefaultCandidate(false))
			.run((context) -> {
				try (HeldLock held = context.getBean(DistributedLocks.class).acquire("order:42")) {
					assertThat(held.isValid()).isTrue();
					assertThat(places("*{order:42}")).containsExactly(other() + "/" + database);
				}
			});
	}

	static Stream<Arguments> names() {
		return Stream.of(Arguments.of("first", 1), Arguments.of("second", 2));
	}

	private static ApplicationContextRunner runner() {
		return Leasehold.runner()
			.withConfiguration(AutoConfigurations.of(SslAutoConfiguration.class, DataRedisAutoConfiguration.class))
			.withPropertyValues("leasehold.engine=redis", "leasehold.redis.command-timeout=5s",
					"leasehold.redis.min-validity=5s", "leasehold.redis.silence-timeout=10s",
					"leasehold.redis.poll-interval=3s", "leasehold.redis.grant-lease=10s",
					"spring.data.redis.host=127.0.0.1", "spring.data.redis.port=" + servers.get(0).port(),
					"spring.ssl.bundle.pem.redis.truststore.certificate=file:" + certificate.certificate());
	}

	/** Return port and database of each place with a key. */
	private static Set<String> places(String pattern) {
		return Stream.of(0, 1).flatMap((server) -> Stream.of(0, 1, 2, 3).filter((database) -> {
			operators.get(server).select(database);
			return !operators.get(server).keys(pattern).isEmpty();
		}).map((database) -> servers.get(server).port() + "/" + database)).collect(Collectors.toSet());
	}

	/** Return port, name and user of the connections of the application. */
	private static Set<String> clients() {
		return operators.stream()
			.flatMap((operator) -> operator.clientList().lines())
			.map(CLIENT::matcher)
			.filter(Matcher::find)
			.filter((parts) -> !parts.group(2).equals(OPERATOR))
			.map((parts) -> "%s %s %s".formatted(parts.group(1), parts.group(2), parts.group(3)))
			.collect(Collectors.toSet());
	}

	private static int other() {
		return servers.get(1).port();
	}

	private static Arguments way(String name, String... properties) {
		return way(name, (runner) -> runner.withPropertyValues(properties));
	}

	private static Arguments way(String name, UnaryOperator<ApplicationContextRunner> application) {
		return Arguments.of(name, application);
	}

	private static Arguments own(String name, RedisConnectionFactory factory) {
		return Arguments.of(name, with(factory));
	}

	private static Arguments refused(String name, String reason, UnaryOperator<ApplicationContextRunner> application) {
		return Arguments.of(name, reason, application);
	}

	private static UnaryOperator<ApplicationContextRunner> with(RedisConnectionFactory factory) {
		return (runner) -> runner.withBean("own", RedisConnectionFactory.class, () -> factory);
	}

	private static ApplicationContextRunner withParent(ApplicationContextRunner runner) {
		GenericApplicationContext parent = new GenericApplicationContext();
		parent.registerBean("own", RedisConnectionFactory.class, () -> lettuce(single(other(), 1), named("web")));
		parent.refresh();
		parents.add(parent);
		return runner.withParent(parent);
	}

	private static LettuceConnectionFactory lettuce(RedisStandaloneConfiguration servers,
			@Nullable LettuceClientConfiguration how) {
		return new LettuceConnectionFactory(servers, (how != null) ? how : plain().build());
	}

	private static LettuceConnectionFactory replicas() {
		RedisStaticMasterReplicaConfiguration nodes = new RedisStaticMasterReplicaConfiguration("127.0.0.1", 1);
		nodes.setPassword("secret");
		return new LettuceConnectionFactory(nodes, plain().build());
	}

	private static RedisStandaloneConfiguration single(int port, int database) {
		RedisStandaloneConfiguration server = new RedisStandaloneConfiguration("127.0.0.1", port);
		server.setDatabase(database);
		return server;
	}

	private static RedisStandaloneConfiguration account(int port) {
		RedisStandaloneConfiguration server = single(port, 3);
		server.setUsername("shop");
		server.setPassword("secret");
		return server;
	}

	private static LettuceClientConfigurationBuilder plain() {
		return LettuceClientConfiguration.builder();
	}

	private static LettuceClientConfiguration named(String name) {
		return plain().clientName(name).build();
	}

	private static LettuceClientConfigurationBuilder trusting() {
		return plain().clientOptions(ClientOptions.builder().sslOptions(trusted()).build());
	}

	private static SslOptions trusted() {
		return SslOptions.builder().trustManager(certificate.certificate().toFile()).build();
	}

	private static JedisClientConfiguration jedisNamed(String name) {
		return JedisClientConfiguration.builder().clientName(name).build();
	}

	/** Customize Jedis by the name that Spring Boot 4.0 knows, too. */
	@SuppressWarnings({ "deprecation", "removal" })
	private static void customize(JedisClientConfiguration.JedisClientConfigurationBuilder builder) {
		builder.customize((config) -> config.credentialsProvider(() -> new DefaultRedisCredentials("shop", "secret")));
	}

	/** A service connection. */
	private static final class Details implements DataRedisConnectionDetails {

		@Override
		public Standalone getStandalone() {
			return Standalone.of("127.0.0.1", other(), 1);
		}

		@Override
		public String getUsername() {
			return "shop";
		}

		@Override
		public String getPassword() {
			return "secret";
		}

	}

	/** A source of credentials. */
	private static final class Provider implements RedisCredentialsProviderFactory {

		@Override
		public RedisCredentialsProvider createCredentialsProvider(RedisConfiguration configuration) {
			return RedisCredentialsProvider.from(() -> RedisCredentials.just("shop", "secret"));
		}

	}

	/** The factory of another library. */
	private record ForeignFactory(RedisConnectionFactory factory) implements RedisConnectionFactory {

		@Override
		public RedisConnection getConnection() {
			return this.factory.getConnection();
		}

		@Override
		public org.springframework.data.redis.connection.RedisClusterConnection getClusterConnection() {
			return this.factory.getClusterConnection();
		}

		@Override
		public org.springframework.data.redis.connection.RedisSentinelConnection getSentinelConnection() {
			return this.factory.getSentinelConnection();
		}

		@Override
		public boolean getConvertPipelineAndTxResults() {
			return true;
		}

		@Override
		public org.springframework.dao.DataAccessException translateExceptionIfPossible(RuntimeException ex) {
			return this.factory.translateExceptionIfPossible(ex);
		}

	}

}
