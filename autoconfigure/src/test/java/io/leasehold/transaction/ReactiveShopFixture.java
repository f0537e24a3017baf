package io.leasehold.transaction;

import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;

import io.leasehold.DistributedLocks;
import io.leasehold.HeldLock;
import io.leasehold.LockLostException;
import reactor.core.publisher.Mono;

import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.transaction.ReactiveTransactionManager;
import org.springframework.transaction.reactive.TransactionalOperator;
import org.springframework.transaction.support.DefaultTransactionDefinition;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Helpers for tests of reactive transactions.
 */
abstract class ReactiveShopFixture {

	/** Where the application keeps its data. */
	abstract String url();

	/** Return the URL of a new database in memory. */
	static String h2() {
		return "r2dbc:h2:mem:///%s?options=DB_CLOSE_DELAY=-1".formatted(UUID.randomUUID());
	}

	ApplicationContextRunner runner() {
		return ReactiveShop.runner(url());
	}

	void run(ShopTest test) {
		run(runner(), test);
	}

	static void run(ApplicationContextRunner runner, ShopTest test) {
		runner.run((context) -> {
			ReactiveShop shop = context.getBean(ReactiveShop.class);
			shop.createTable();
			test.run(shop, context);
		});
	}

	static void assertLost(Mono<Void> work) {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> ReactiveShop.run(work));
	}

	static Mono<Void> within(ApplicationContext context, int propagation, Supplier<Mono<Void>> work) {
		TransactionalOperator operator = TransactionalOperator.create(context.getBean(ReactiveTransactionManager.class),
				new DefaultTransactionDefinition(propagation));
		return operator.transactional(Mono.defer(work));
	}

	static boolean isFree(ApplicationContext context, String key) {
		Optional<HeldLock> held = context.getBean(DistributedLocks.class).tryAcquire(key);
		held.ifPresent(HeldLock::close);
		return held.isPresent();
	}

	interface ShopTest {

		void run(ReactiveShop shop, ApplicationContext context) throws Exception;

	}

}
