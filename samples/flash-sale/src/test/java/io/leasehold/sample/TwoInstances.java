package io.leasehold.sample;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.stream.IntStream;

import io.leasehold.sample.shop.Work;

import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Two instances of the shop in one JVM, on one database.
 */
final class TwoInstances implements AutoCloseable {

	private final List<ConfigurableApplicationContext> instances;

	TwoInstances(Path data) {
		this(data, new Work(), new Work());
	}

	/** Start instances whose work takes a given time. */
	TwoInstances(Path data, Work first, Work second) {
		this.instances = List.of(start(data, first), start(data, second));
	}

	<T> T bean(int instance, Class<T> type) {
		return this.instances.get(instance % 2).getBean(type);
	}

	JdbcClient jdbc() {
		return bean(0, JdbcClient.class);
	}

	/** Create a sale that no buyers of the show join. */
	long sale(int units) {
		return jdbc()
			.sql("SELECT id FROM FINAL TABLE (INSERT INTO sale (units, left_over, buyers, locked, ended)"
					+ " VALUES (?, ?, 8, TRUE, CURRENT_TIMESTAMP))")
			.params(units, units)
			.query(Long.class)
			.single();
	}

	/** Run an action several times at once, each in a separate thread. */
	static <T> List<T> atOnce(int times, IntFunction<T> action) {
		List<CompletableFuture<T>> results = IntStream.range(0, times)
			.mapToObj((number) -> inThread(() -> action.apply(number)))
			.toList();
		return results.stream().map(CompletableFuture::join).toList();
	}

	static <T> CompletableFuture<T> inThread(Supplier<T> action) {
		return CompletableFuture.supplyAsync(action, (task) -> new Thread(task).start());
	}

	@Override
	public void close() {
		this.instances.forEach(ConfigurableApplicationContext::close);
	}

	private static ConfigurableApplicationContext start(Path data, Work work) {
		return new SpringApplicationBuilder(FlashSaleApplication.class)
			.initializers((context) -> ((GenericApplicationContext) context).registerBean("testWork", Work.class,
					() -> work, (definition) -> definition.setPrimary(true)))
			.run("--server.port=0", "--shop.report.cron=-",
					// A pause of the machine ends no wait for a lock or a row
					"--leasehold.wait-time=60s",
					"--spring.datasource.url=jdbc:h2:file:%s/shop;AUTO_SERVER=TRUE;WRITE_DELAY=0;LOCK_TIMEOUT=20000"
						.formatted(data));
	}

}
