package io.leasehold.transaction;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import javax.sql.DataSource;

import io.leasehold.LockInterruptedException;
import io.leasehold.event.AcquireOutcome;
import io.leasehold.event.LockEvent;
import io.leasehold.test.contract.Fault;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Contract of calls whose transaction cannot hold a lock, on each database.
 */
abstract class TransactionRefusalsContract extends ScopedTransactions {

	@Test
	void unfulfilledConditionNeedsNoTransaction() {
		this.shop.conditionally("free");
		assertThat(this.events.ends("ScopedShop.conditionally")).extracting(LockEvent.AcquireEnded::outcome)
			.containsExactly(AcquireOutcome.NOT_WANTED);
	}

	@Test
	@Fault(value = 151, engine = "jdbc")
	void callWithoutTransactionIsRefused() {
		assertThatIllegalStateException().isThrownBy(() -> lock("order"))
			.withMessageContaining("ScopedShop.inside")
			.withMessageContaining("no transaction is active")
			.withMessageContaining("@EnableTransactionManagement(order =");
		assertThat(this.events.ends("inside")).extracting(LockEvent.AcquireEnded::outcome)
			.containsExactly(AcquireOutcome.ERROR);
	}

	@Test
	@Fault(value = 151, engine = "jdbc")
	void callAfterTheCommitIsRefused() {
		List<Throwable> thrown = new ArrayList<>();
		this.transaction.executeWithoutResult(
				(status) -> TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

					@Override
					public void afterCommit() {
						try {
							lock("order");
						}
						catch (IllegalStateException ex) {
							thrown.add(ex);
						}
					}

				}));
		assertThat(thrown).singleElement()
			.satisfies((ex) -> assertThat(ex).hasMessageContaining("ScopedShop.inside")
				.hasMessageContaining("no transaction is active"));
	}

	/** Statements commit one by one on a connection that only joins. */
	@Test
	@Fault(value = 151, engine = "jdbc")
	void transactionOfAnotherDataSourceIsRefused() {
		TransactionTemplate other = new TransactionTemplate(new DataSourceTransactionManager(database()));
		for (boolean used : new boolean[] { false, true }) {
			other.executeWithoutResult((status) -> {
				if (used) {
					sold("alone");
				}
				assertThatIllegalStateException().isThrownBy(() -> lock("order"))
					.withMessageContaining("ScopedShop.inside")
					.withMessageContaining("not a transaction of the application's DataSource");
			});
		}
	}

	/** The connection of the outer transaction is bound, but another one ends first. */
	@Test
	@Fault(value = 151, engine = "jdbc")
	void transactionOfAnotherDataSourceInsideOneOfTheApplicationIsRefused() {
		DataSourceTransactionManager manager = new DataSourceTransactionManager(database());
		CommitGuard.addTo(manager, true);
		TransactionTemplate other = new TransactionTemplate(manager);
		this.transaction.executeWithoutResult((outer) -> {
			other.executeWithoutResult((inner) -> assertThatIllegalStateException().isThrownBy(() -> lock("order"))
				.withMessageContaining("ScopedShop.inside")
				.withMessageContaining("not a transaction of the application's DataSource"));
			assertThat(isFreeForOthers("order")).isTrue();
			lock("order");
			assertThat(isFreeForOthers("order")).isFalse();
		});
		assertThat(isFreeForOthers("order")).isTrue();
	}

	@Test
	void resultThatEndsLaterIsRefused() {
		assertThatIllegalStateException().isThrownBy(() -> this.transaction.executeWithoutResult((status) -> {
			sold("nothing");
			this.shop.late(new CompletableFuture<>(), "order");
		})).withMessageContaining("ScopedShop.late").withMessageContaining("CompletableFuture");
		assertThat(sold()).isEmpty();
	}

	@Test
	void interruptedThreadAcquiresNothing() {
		this.transaction.executeWithoutResult((status) -> {
			Thread.currentThread().interrupt();
			assertThatExceptionOfType(LockInterruptedException.class).isThrownBy(() -> lock("order"));
			assertThat(Thread.interrupted()).isTrue();
			assertThat(isFreeForOthers("order")).isTrue();
		});
	}

}
