package io.leasehold.transaction;

import java.util.ArrayList;
import java.util.List;

import io.leasehold.autoconfigure.LeaseholdAutoConfiguration;
import io.leasehold.autoconfigure.LeaseholdLocalAutoConfiguration;
import io.leasehold.test.contract.Fault;
import io.r2dbc.spi.ConnectionFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.publisher.Mono;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.r2dbc.connection.R2dbcTransactionManager;
import org.springframework.transaction.ReactiveTransaction;
import org.springframework.transaction.ReactiveTransactionManager;
import org.springframework.transaction.TransactionDefinition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.transaction.TransactionDefinition.PROPAGATION_REQUIRED;

/**
 * Tests for {@link R2dbcCommitGuards} of several contexts and managers.
 */
@ExtendWith(OutputCaptureExtension.class)
class R2dbcCommitGuardsTests extends ReactiveShopFixture {

	private final String url = h2();

	@Override
	String url() {
		return this.url;
	}

	/** The guard of the parent has been there first. */
	@Test
	@Fault(174)
	void lockOfAChildContextIsHeldUntilTheParentsTransactionEnds() {
		run((parentShop, parent) -> child(parent).run((child) -> {
			List<Boolean> free = new ArrayList<>();
			ReactiveShop shop = child.getBean(ReactiveShop.class);
			ReactiveShop.run(within(child, PROPAGATION_REQUIRED, () -> shop.locked("inside", shop::insert)
				.then(Mono.fromRunnable(() -> free.add(isFree(child, "inside"))))));
			free.add(isFree(child, "inside"));
			assertThat(free).containsExactly(false, true);
		}));
	}

	@Test
	void managerThatCannotBeGuardedIsNamed(CapturedOutput output) {
		ApplicationContextRunner both = runner().withBean("mongo", ReactiveTransactionManager.class, Unguarded::new)
			.withBean("sql", R2dbcTransactionManager.class,
					() -> new R2dbcTransactionManager(ConnectionFactories.get(this.url)));
		both.run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(output).contains("Reactive transaction manager 'mongo' is no R2dbcTransactionManager")
				.doesNotContain("Reactive transaction manager 'sql'");
		});
	}

	private static ApplicationContextRunner child(ApplicationContext parent) {
		return new ApplicationContextRunner().withParent(parent)
			.withConfiguration(
					AutoConfigurations.of(LeaseholdAutoConfiguration.class, LeaseholdLocalAutoConfiguration.class))
			.withUserConfiguration(ReactiveShop.class)
			.withPropertyValues("leasehold.engine=local", "leasehold.lease=10m", "leasehold.wait-time=0s");
	}

	private static final class Unguarded implements ReactiveTransactionManager {

		@Override
		public Mono<ReactiveTransaction> getReactiveTransaction(TransactionDefinition definition) {
			return Mono.error(new IllegalStateException("Not needed"));
		}

		@Override
		public Mono<Void> commit(ReactiveTransaction transaction) {
			return Mono.empty();
		}

		@Override
		public Mono<Void> rollback(ReactiveTransaction transaction) {
			return Mono.empty();
		}

	}

}
