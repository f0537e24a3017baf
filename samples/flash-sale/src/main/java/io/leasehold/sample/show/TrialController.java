package io.leasehold.sample.show;

import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.leasehold.leadership.Leadership;
import io.leasehold.sample.shop.CartService;
import io.leasehold.sample.shop.CheckoutService;
import io.leasehold.sample.shop.OrderService;
import io.leasehold.sample.shop.PriceList;

import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * The actions behind the cards of the page.
 */
@RestController
@RequestMapping("/api")
class TrialController {

	private static final int CUSTOMERS = 24;

	private final OrderService orders;

	private final CartService carts;

	private final PriceList prices;

	private final CheckoutService checkout;

	private final Charges charges;

	private final Crowd crowd;

	private final Leadership leadership;

	TrialController(OrderService orders, CartService carts, PriceList prices, CheckoutService checkout, Charges charges,
			Crowd crowd, Leadership leadership) {
		this.orders = orders;
		this.carts = carts;
		this.prices = prices;
		this.checkout = checkout;
		this.charges = charges;
		this.crowd = crowd;
		this.leadership = leadership;
	}

	/** Pay an order in four concurrent calls, and cancel it in a fifth. */
	@PostMapping("/pay-twice")
	Map<String, Object> payTwice() {
		long order = this.orders.create();
		List<Boolean> moved = this.crowd.atOnce(5,
				(number) -> (number < 4) ? this.orders.pay(order) : this.orders.cancel(order));
		return Map.of("order", order, "payments", this.orders.payments(order), "cancelled", moved.get(4));
	}

	/** Pay many orders at once. */
	@PostMapping("/rush")
	Map<String, Integer> rush() {
		List<Long> orders = Stream.generate(this.orders::create).limit(CUSTOMERS).toList();
		List<Boolean> paid = this.crowd.atOnce(CUSTOMERS, (number) -> this.orders.pay(orders.get(number)));
		return Map.of("paid", Collections.frequency(paid, true), "atOnce", this.charges.mostAtOnce(orders));
	}

	/** Quote while a new list is published that doubles all prices. */
	@PostMapping("/prices")
	Map<String, Integer> quote() {
		this.prices.publish(Map.of("cup", 500, "pot", 500, "tea", 500));
		List<Integer> quotes = this.crowd.atOnce(CUSTOMERS, (number) -> {
			if (number == CUSTOMERS / 2) {
				this.prices.publish(Map.of("cup", 1000, "pot", 1000, "tea", 1000));
			}
			return this.prices.quote(List.of("cup", "pot", "tea"));
		});
		int old = Collections.frequency(quotes, 1500);
		int fresh = Collections.frequency(quotes, 3000);
		return Map.of("old", old, "fresh", fresh, "mixed", quotes.size() - old - fresh);
	}

	/** Fill carts with the same articles in opposite orders, until there are none. */
	@PostMapping("/carts")
	Map<String, Integer> fillCarts() {
		this.carts.stock("cup", 20);
		this.carts.stock("tea", 20);
		List<Boolean> filled = this.crowd.atOnce(CUSTOMERS,
				(number) -> this.carts.fill((number % 2 == 0) ? cart("cup", "tea") : cart("tea", "cup")));
		return Map.of("carts", CUSTOMERS, "filled", Collections.frequency(filled, true), "left",
				this.carts.unitsOf("cup"));
	}

	private static Map<String, Integer> cart(String first, String second) {
		Map<String, Integer> cart = new LinkedHashMap<>();
		cart.put(first, 1);
		cart.put(second, 1);
		return cart;
	}

	/** Let another instance announce the offers, if there is one. */
	@PostMapping("/step-down")
	void stepDown() {
		this.leadership.stepDown(Duration.ofSeconds(2));
	}

	@PostMapping("/submit")
	Map<String, String> submit(@RequestBody Map<String, String> customer) {
		return Map.of("response", this.checkout.submit(customer.getOrDefault("customer", "anonymous")));
	}

}
