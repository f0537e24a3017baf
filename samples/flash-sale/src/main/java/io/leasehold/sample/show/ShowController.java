package io.leasehold.sample.show;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import io.leasehold.engine.Holder;
import io.leasehold.engine.LockEngine;
import io.leasehold.sample.shop.CheckoutService;
import io.leasehold.sample.shop.Instance;
import io.leasehold.sample.shop.OrderService;
import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * What the page asks for.
 */
@RestController
@RequestMapping("/api")
class ShowController {

	private static final String INSTANCES = """
			SELECT name, process, waiting, holds, outcomes,
				(SELECT COUNT(*) FROM purchase WHERE sale_id = ? AND purchase.instance = instance.name) AS sold
			FROM instance WHERE seen > DATEADD(SECOND, -2, CURRENT_TIMESTAMP) ORDER BY name""";

	private final Sales sales;

	private final OrderService orders;

	private final CheckoutService checkout;

	private final LockEngine engine;

	private final Instance instance;

	private final JdbcClient jdbc;

	ShowController(Sales sales, OrderService orders, CheckoutService checkout, LockEngine engine, Instance instance,
			JdbcClient jdbc) {
		this.sales = sales;
		this.orders = orders;
		this.checkout = checkout;
		this.engine = engine;
		this.instance = instance;
		this.jdbc = jdbc;
	}

	record Order(int units, int buyers, boolean lock) {
	}

	record Shop(String name, long process, int waiting, String holds, String outcomes, int sold) {
	}

	record Report(String instance, String ran) {
	}

	record State(String self, String engine, @Nullable Sale sale, @Nullable String holder, List<Shop> instances,
			List<Report> reports) {
	}

	@PostMapping("/sales")
	Map<String, Long> start(@RequestBody Order order) {
		int units = Math.min(Math.max(order.units(), 1), 5000);
		int buyers = Math.min(Math.max(order.buyers(), 1), 200);
		return Map.of("id", this.sales.start(units, buyers, order.lock()));
	}

	@GetMapping("/state")
	State state() {
		Optional<Sale> sale = this.sales.latest();
		List<Shop> instances = this.jdbc.sql(INSTANCES).param(sale.map(Sale::id).orElse(0L)).query(Shop.class).list();
		List<Report> reports = this.jdbc
			.sql("SELECT instance, FORMATDATETIME(ran, 'HH:mm:ss') AS ran FROM report ORDER BY id DESC LIMIT 5")
			.query(Report.class)
			.list();
		String holder = sale.filter((latest) -> latest.running() && latest.locked())
			.flatMap((latest) -> holder(latest.id(), instances))
			.orElse(null);
		return new State(this.instance.name(), this.engine.name(), sale.orElse(null), holder, instances, reports);
	}

	private Optional<String> holder(long saleId, List<Shop> instances) {
		try {
			return this.engine.inspect(new LockKey("stock:" + saleId))
				.stream()
				.map((found) -> describe(found, instances))
				.findFirst();
		}
		catch (LockEngineException ex) {
			return Optional.of("somebody unknown: the store of the locks does not answer");
		}
	}

	private static String describe(Holder holder, List<Shop> instances) {
		return instances.stream()
			.filter((shop) -> shop.process() == holder.process())
			.map((shop) -> shop.name() + ", " + holder.thread())
			.findFirst()
			.orElse("process " + holder.process() + ", " + holder.thread());
	}

	/** Pay an order from four sides at once, and cancel it from a fifth. */
	@PostMapping("/pay-twice")
	Map<String, Object> payTwice() {
		long order = this.orders.create();
		List<CompletableFuture<Boolean>> attempts = new ArrayList<>();
		for (int i = 0; i < 4; i++) {
			attempts.add(CompletableFuture.supplyAsync(() -> this.orders.pay(order)));
		}
		attempts.add(CompletableFuture.supplyAsync(() -> this.orders.cancel(order)));
		attempts.forEach(CompletableFuture::join);
		return Map.of("order", order, "payments", this.orders.payments(order), "cancelled", attempts.get(4).join());
	}

	@PostMapping("/submit")
	Map<String, String> submit(@RequestBody Map<String, String> customer) {
		return Map.of("answer", this.checkout.submit(customer.getOrDefault("customer", "somebody")));
	}

}
