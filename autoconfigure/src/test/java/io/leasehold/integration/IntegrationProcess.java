package io.leasehold.integration;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

import com.zaxxer.hikari.HikariDataSource;
import io.leasehold.autoconfigure.LeaseholdAutoConfiguration;
import io.leasehold.autoconfigure.integration.LeaseholdIntegrationAutoConfiguration;
import io.leasehold.autoconfigure.jdbc.LeaseholdJdbcAutoConfiguration;
import io.leasehold.test.contract.JvmProcess;
import io.leasehold.test.contract.Parallel;

import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.integration.aggregator.AbstractCorrelatingMessageHandler;
import org.springframework.integration.aggregator.AggregatingMessageHandler;
import org.springframework.integration.aggregator.DefaultAggregatingMessageGroupProcessor;
import org.springframework.integration.aggregator.ResequencingMessageGroupProcessor;
import org.springframework.integration.aggregator.ResequencingMessageHandler;
import org.springframework.integration.channel.DirectChannel;
import org.springframework.integration.config.EnableIntegration;
import org.springframework.integration.jdbc.store.JdbcMessageStore;
import org.springframework.integration.leader.Context;
import org.springframework.integration.leader.DefaultCandidate;
import org.springframework.integration.support.MessageBuilder;
import org.springframework.integration.support.leader.LockRegistryLeaderInitiator;
import org.springframework.integration.support.locks.DefaultLockRegistry;
import org.springframework.integration.support.locks.LockRegistry;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * One of two applications of Spring Integration that share a store of messages.
 */
final class IntegrationProcess {

	/** Messages of a group, of which each of two applications receives half. */
	static final int SIZE = 4;

	private static final int THREADS = 4;

	private final ConfigurableApplicationContext context;

	private final LockRegistry<?> registry;

	private final JdbcTemplate jdbc;

	private IntegrationProcess(ConfigurableApplicationContext context, LockRegistry<?> registry) {
		this.context = context;
		this.registry = registry;
		this.jdbc = new JdbcTemplate(context.getBean(HikariDataSource.class));
	}

	/**
	 * Start an application.
	 * @param url of the database
	 * @param namespace of its locks and messages
	 * @param shared whether its locks exclude the other application
	 */
	static JvmProcess start(String url, String namespace, boolean shared) {
		return JvmProcess.start(IntegrationProcess.class, List.of(url, namespace, String.valueOf(shared)));
	}

	/**
	 * The application.
	 * @param args URL, namespace and whether locks are shared
	 */
	public static void main(String[] args) throws Exception {
		try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class)
			.web(WebApplicationType.NONE)
			.bannerMode(Banner.Mode.OFF)
			.properties("spring.datasource.url=" + args[0], "leasehold.namespace=" + args[1], "leasehold.engine=jdbc",
					"leasehold.lease=6s", "leasehold.jdbc.call-timeout=3s")
			.run()) {
			LockRegistry<?> registry = Boolean.parseBoolean(args[2]) ? context.getBean(LockRegistry.class)
					: new DefaultLockRegistry();
			System.out.println("started");
			new IntegrationProcess(context, registry).obey(args[1]);
		}
	}

	private void obey(String namespace) throws Exception {
		BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
		for (String command = commands.readLine(); command != null; command = commands.readLine()) {
			String[] words = command.split(" ");
			switch (words[0]) {
				case "lead" -> lead();
				case "send" -> System.out.println(
						"sent " + send(namespace, words[1], Integer.parseInt(words[2]), Integer.parseInt(words[3])));
				default -> throw new IllegalArgumentException(command);
			}
		}
	}

	private void lead() {
		LockRegistryLeaderInitiator initiator = new LockRegistryLeaderInitiator(this.registry, new DefaultCandidate() {

			@Override
			public void onGranted(Context context) {
				System.out.println("granted");
			}

		});
		initiator.setHeartBeatMillis(100);
		initiator.start();
	}

	/**
	 * Send this application's half of each group, and return how many messages failed.
	 */
	private long send(String namespace, String round, int groups, int half) throws Exception {
		List<AbstractCorrelatingMessageHandler> handlers = List.of(aggregator(namespace), resequencer(namespace));
		AtomicLong failed = new AtomicLong();
		Parallel.run(IntStream.range(0, THREADS).mapToObj((thread) -> Executors.callable(() -> {
			for (int number = thread; number < groups * SIZE / 2; number += THREADS) {
				String group = round + ":" + number / (SIZE / 2);
				failed.addAndGet(handle(handlers, group, 1 + half + 2 * (number % (SIZE / 2))));
			}
		})).toList());
		return failed.get();
	}

	/** Send a message to each handler, and return how many of them failed. */
	private static int handle(List<AbstractCorrelatingMessageHandler> handlers, String group, int sequence) {
		int failed = 0;
		for (AbstractCorrelatingMessageHandler handler : handlers) {
			try {
				handler.handleMessage(MessageBuilder.withPayload(sequence)
					.setCorrelationId(group)
					.setSequenceNumber(sequence)
					.setSequenceSize(SIZE)
					.build());
			}
			catch (RuntimeException ex) {
				failed++;
			}
		}
		return failed;
	}

	private AbstractCorrelatingMessageHandler aggregator(String namespace) {
		AggregatingMessageHandler handler = new AggregatingMessageHandler(new DefaultAggregatingMessageGroupProcessor(),
				store(namespace + "-aggregator"));
		handler.setExpireGroupsUponCompletion(true);
		return completed(handler, "aggregated");
	}

	private AbstractCorrelatingMessageHandler resequencer(String namespace) {
		ResequencingMessageHandler handler = new ResequencingMessageHandler(new ResequencingMessageGroupProcessor(),
				store(namespace + "-resequencer"));
		handler.setReleasePartialSequences(true);
		return completed(handler, "resequenced");
	}

	private JdbcMessageStore store(String region) {
		JdbcMessageStore store = new JdbcMessageStore(this.context.getBean(HikariDataSource.class));
		store.setRegion(region);
		return store;
	}

	/** Write what comes out of a handler to a table. */
	private AbstractCorrelatingMessageHandler completed(AbstractCorrelatingMessageHandler handler, String table) {
		DirectChannel output = new DirectChannel();
		output.subscribe(
				(message) -> this.jdbc.update("INSERT INTO %s (message_group, content) VALUES (?, ?)".formatted(table),
						message.getHeaders().get("correlationId"), message.getPayload().toString()));
		handler.setOutputChannel(output);
		handler.setLockRegistry(this.registry);
		handler.setBeanFactory(this.context.getBeanFactory());
		handler.afterPropertiesSet();
		handler.start();
		return handler;
	}

	@EnableIntegration
	@ImportAutoConfiguration({ DataSourceAutoConfiguration.class, DataSourceTransactionManagerAutoConfiguration.class,
			LeaseholdAutoConfiguration.class, LeaseholdJdbcAutoConfiguration.class,
			LeaseholdIntegrationAutoConfiguration.class })
	static class Application {

	}

}
