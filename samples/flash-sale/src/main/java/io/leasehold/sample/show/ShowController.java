package io.leasehold.sample.show;

import java.util.List;
import java.util.Map;
import java.util.Optional;

import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import io.leasehold.engine.Holder;
import io.leasehold.engine.LockEngine;
import io.leasehold.sample.shop.Instance;
import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * Starts sales, and returns the state that the page shows.
 */
@RestController
@RequestMapping("/api")
class ShowController {

	private static final String INSTANCES = """
			SELECT * FROM (
				SELECT id, name, process, seen > DATEADD(SECOND, -2, CURRENT_TIMESTAMP) AS alive, waiting, holds, outcomes, term,
					(SELECT COUNT(*) FROM purchase WHERE sale_id = ? AND purchase.instance = instance.name) AS sold
				FROM instance)
			WHERE alive OR sold > 0 ORDER BY id""";

	private final Sales sales;

	private final LockEngine engine;

	private final Instance instance;

	private final JdbcClient jdbc;

	ShowController(Sales sales, LockEngine engine, Instance instance, JdbcClient jdbc) {
		this.sales = sales;
		this.engine = engine;
		this.instance = instance;
		this.jdbc = jdbc;
	}

	record Order(int units, int buyers, boolean lock) {
	}

	/**
	 * An instance, also one that was killed, as long as it has sold units of the latest
	 * sale.
	 */
	record Shop(long id, String name, long process, boolean alive, int waiting, String holds, String outcomes,
			@Nullable Long term, int sold) {
	}

	record Offer(long term, String instance, String article) {
	}

	record Report(String instance, String ran) {
	}

	record State(String self, String engine, List<Sale> sales, @Nullable String holder, List<Shop> instances,
			@Nullable Offer offer, String another, List<Report> reports) {
	}

	@PostMapping("/sales")
	Map<String, Long> start(@RequestBody Order order) {
		int units = Math.min(Math.max(order.units(), 1), 5000);
		int buyers = Math.min(Math.max(order.buyers(), 1), 200);
		return Map.of("id", this.sales.start(units, buyers, order.lock()));
	}

	@GetMapping("/state")
	State state() {
		List<Sale> sales = this.sales.latest();
		Optional<Sale> sale = sales.stream().findFirst();
		List<Shop> instances = this.jdbc.sql(INSTANCES).param(sale.map(Sale::id).orElse(0L)).query(Shop.class).list();
		List<Report> reports = this.jdbc
			.sql("SELECT instance, FORMATDATETIME(ran, 'HH:mm:ss') AS ran FROM report ORDER BY id DESC LIMIT 5")
			.query(Report.class)
			.list();
		Offer offer = this.jdbc.sql("SELECT term, instance, article FROM offer")
			.query(Offer.class)
			.optional()
			.orElse(null);
		String holder = sale.filter((latest) -> latest.running() && latest.locked())
			.flatMap((latest) -> holder(latest.id(), instances))
			.orElse(null);
		return new State(this.instance.name(), this.engine.name(), sales, holder, instances, offer,
				this.instance.commandForAnother(portForAnother(instances)), reports);
	}

	/** The port after those of all living instances. */
	private static int portForAnother(List<Shop> instances) {
		return instances.stream()
			.filter(Shop::alive)
			.mapToInt((shop) -> Instance.portOf(shop.name()))
			.max()
			.orElse(8080) + 1;
	}

	private Optional<String> holder(long saleId, List<Shop> instances) {
		try {
			return this.engine.inspect(new LockKey("stock:" + saleId))
				.stream()
				.map((found) -> describe(found, instances))
				.findFirst();
		}
		catch (LockEngineException ex) {
			return Optional.of("unknown: the lock store does not respond");
		}
	}

	private static String describe(Holder holder, List<Shop> instances) {
		return instances.stream()
			.filter((shop) -> shop.process() == holder.process())
			.map((shop) -> shop.name() + ", " + holder.thread())
			.findFirst()
			.orElse("process " + holder.process() + ", " + holder.thread());
	}

}
