package io.leasehold.transaction;

import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.leasehold.server.FaultProxy;
import io.leasehold.server.PostgresTestServer;
import io.leasehold.test.contract.Fault;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

import org.springframework.r2dbc.core.DatabaseClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.springframework.transaction.TransactionDefinition.PROPAGATION_REQUIRED;

/**
 * Reactive commits over a network that fails at that moment: the next owner of the lock
 * sees their rows, whether they arrive or not.
 */
@Tag("full")
@Fault(173)
class PostgresReactiveUnknownCommitIntegrationTests extends ReactiveShopFixture {

	private final FaultProxy network = FaultProxy.to(PostgresTestServer.shared().port());

	/** Completes when the commit is in the network. */
	private final Sinks.Empty<Void> sent = Sinks.empty();

	private final CountDownLatch arrives = new CountDownLatch(1);

	@Override
	String url() {
		return "r2dbc:postgresql://postgres@127.0.0.1:%s/postgres".formatted(this.network.port());
	}

	@AfterEach
	void closeNetwork() throws Exception {
		this.arrives.countDown();
		this.network.close();
	}

	@ParameterizedTest
	@MethodSource("cases")
	void keyIsFreeOnlyOnceTheCommitIsSettled(Commit commit, boolean inside) {
		run((shop, context) -> {
			ReactiveShop.run(context.getBean(DatabaseClient.class)
				.sql("ALTER TABLE reactive_sale ADD UNIQUE (id) DEFERRABLE INITIALLY DEFERRED")
				.then());
			Supplier<Mono<Void>> sale = () -> shop.insert()
				.then((commit == Commit.REFUSED) ? shop.insert() : Mono.fromRunnable(() -> fail(commit)));
			Mono<Void> work = inside ? within(context, PROPAGATION_REQUIRED, () -> shop.locked("sale", sale))
					: shop.locked("sale", () -> within(context, PROPAGATION_REQUIRED, sale));
			assertThatThrownBy(() -> ReactiveShop.run(work.timeout(this.sent.asMono())))
				.isInstanceOf(RuntimeException.class);
			this.network.replies().open();
			if (commit == Commit.REFUSED) {
				await().until(() -> isFree(context, "sale"));
				assertThat(shop.sold()).isZero();
				return;
			}
			assertThat(isFree(context, "sale")).isFalse();
			if (commit == Commit.LATE) {
				assertThat(shop.sold()).isZero();
				this.arrives.countDown();
			}
			await().until(() -> shop.sold() == 1);
			boolean settled = commit == Commit.LATE && inside;
			await().until(() -> isFree(context, "sale") == settled);
		});
	}

	private void fail(Commit commit) {
		if (commit == Commit.LATE) {
			FaultProxy.Valve requests = this.network.strandRequests();
			requests.beforeEach(() -> {
				this.sent.tryEmitEmpty();
				pause(this.arrives);
			});
			requests.open();
		}
		else {
			this.network.replies().reset();
		}
	}

	private static void pause(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	static Stream<Arguments> cases() {
		return Stream.of(Commit.values())
			.flatMap((commit) -> Stream.of(false, true).map((inside) -> Arguments.of(commit, inside)));
	}

	/** What becomes of the commit. */
	enum Commit {

		/** It arrives after its caller has given up. */
		LATE,

		/** It is carried out, and the connection breaks instead of a response. */
		UNANSWERED,

		/** A constraint is violated. */
		REFUSED

	}

}
