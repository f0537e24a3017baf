package io.leasehold.docs;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;

import io.leasehold.annotation.DistributedLock;
import io.leasehold.annotation.WhenBusy;
import io.leasehold.server.LocalHttp;
import io.leasehold.test.contract.JvmProcess;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisRepositoriesAutoConfiguration;
import org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.r2dbc.autoconfigure.R2dbcAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * An instance of an application in another JVM, as an operator sees it: its endpoints and
 * its log. Its threads hold their locks until a request ends them.
 */
final class ShopInstance implements AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(ShopInstance.class);

	private static final String PROCEED = "proceed ";

	private static final String TERMINATE = "terminate";

	/** As in applications without a configuration of their own. */
	private static final String LOGGING = """
			<configuration>
				<include resource="org/springframework/boot/logging/logback/base.xml"/>
			</configuration>
			""";

	private final JvmProcess process;

	private final Path log;

	private final int port;

	private final String pid;

	private ShopInstance(JvmProcess process, Path log) {
		this.process = process;
		this.log = log;
		String[] started = process.expect("started").split(" ");
		this.port = Integer.parseInt(started[0]);
		this.pid = started[1];
	}

	/**
	 * Start an instance whose locks are on a Redis server, and whose log is in a folder.
	 */
	static ShopInstance start(Path folder, int redis, String... properties) throws IOException {
		Path log = Files.createTempFile(folder, "shop", ".log");
		Path logging = Files.writeString(folder.resolve("logback.xml"), LOGGING);
		List<String> arguments = new ArrayList<>(List.of("--spring.application.name=shop", "--server.port=0",
				"--leasehold.namespace=incidents", "--leasehold.engine=redis", "--spring.data.redis.port=" + redis,
				"--spring.data.redis.host=127.0.0.1", "--management.endpoints.web.exposure.include=health,locks",
				"--management.endpoint.health.show-details=always", "--management.endpoint.locks.access=unrestricted",
				"--logging.config=" + logging, "--logging.file.name=" + log, "--logging.threshold.console=off"));
		arguments.addAll(List.of(properties));
		JvmProcess process = JvmProcess.start(ShopInstance.class, arguments);
		try {
			return new ShopInstance(process, log);
		}
		catch (RuntimeException ex) {
			process.close();
			throw new IllegalStateException(Files.readString(log), ex);
		}
	}

	String pid() {
		return this.pid;
	}

	/** Let a thread call a method, again until it runs under its lock. */
	void run(String call) {
		do {
			begin(call);
		}
		while (!isRun(call));
	}

	/** Let a thread call a method. */
	void begin(String call) {
		this.process.tell(call);
	}

	/** Wait until a call runs under its lock, or has ended without one. */
	boolean isRun(String call) {
		return this.process.expect(call).equals("runs");
	}

	/** Let the method of a call continue. */
	void proceed(String call) {
		this.process.tell(PROCEED + call);
	}

	/** End the application as SIGTERM does. */
	void terminate() {
		this.process.tell(TERMINATE);
	}

	JvmProcess process() {
		return this.process;
	}

	List<String> log() {
		try {
			return Files.readAllLines(this.log);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	String get(String path) {
		return send("GET", path);
	}

	String send(String method, String path) {
		return LocalHttp.send(method, this.port, path).body();
	}

	@Override
	public void close() {
		this.process.close();
	}

	/**
	 * The other process, which ends with this one.
	 * @param args properties of the application
	 * @throws IOException if its standard input breaks
	 */
	public static void main(String[] args) throws IOException {
		ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class).run(args);
		Shop shop = context.getBean(Shop.class);
		Map<String, CountDownLatch> holds = new ConcurrentHashMap<>();
		System.out.printf("started %s %s%n", context.getEnvironment().getProperty("local.server.port"),
				ProcessHandle.current().pid());
		BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
		for (String line = commands.readLine(); line != null; line = commands.readLine()) {
			if (line.startsWith(PROCEED)) {
				holds.get(line.substring(PROCEED.length())).countDown();
			}
			else if (line.equals(TERMINATE)) {
				new Thread(() -> System.exit(0)).start();
			}
			else {
				String call = line;
				CountDownLatch hold = holds.computeIfAbsent(call, (begun) -> new CountDownLatch(1));
				new Thread(() -> call(shop, call, hold), call.split(" ")[1]).start();
			}
		}
		Runtime.getRuntime().halt(0);
	}

	/** Call a method, and log its exception as a web server or a scheduler does. */
	private static void call(Shop shop, String call, CountDownLatch hold) {
		AtomicBoolean ran = new AtomicBoolean();
		Callable<@Nullable Void> work = () -> {
			ran.set(true);
			System.out.println(call + " runs");
			hold.await();
			return null;
		};
		try {
			String[] words = call.split(" ");
			switch (words[0]) {
				case "pay" -> shop.pay(words[2], work);
				case "report" -> shop.report(work);
				case "move" -> shop.move(words[2], () -> {
					work.call();
					return (words.length > 3) ? shop.move(words[3], () -> null) : null;
				});
				default -> throw new IllegalArgumentException(call);
			}
		}
		catch (Exception ex) {
			logger.error("A request failed", ex);
		}
		if (!ran.get()) {
			System.out.println(call + " ended");
		}
	}

	static class Shop {

		@DistributedLock(key = "#key", name = "OrderService.pay", waitTime = "1s")
		public @Nullable Void pay(String key, Callable<@Nullable Void> work) throws Exception {
			return work.call();
		}

		@DistributedLock(key = "#key", name = "StockService.move", waitTime = "1h")
		public @Nullable Void move(String key, Callable<@Nullable Void> work) throws Exception {
			return work.call();
		}

		@DistributedLock(key = "'nightly-report'", name = "Reports.nightly", waitTime = "0s", minHold = "1h",
				whenBusy = WhenBusy.SKIP)
		public @Nullable Void report(Callable<@Nullable Void> work) throws Exception {
			return work.call();
		}

	}

	@EnableAutoConfiguration(exclude = { DataRedisRepositoriesAutoConfiguration.class,
			DataSourceAutoConfiguration.class, HibernateJpaAutoConfiguration.class, R2dbcAutoConfiguration.class })
	@Configuration(proxyBeanMethods = false)
	static class Application {

		@Bean
		Shop shop() {
			return new Shop();
		}

	}

}
