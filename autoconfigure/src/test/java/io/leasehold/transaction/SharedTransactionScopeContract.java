package io.leasehold.transaction;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;

import io.leasehold.LockMode;
import io.leasehold.LockModeException;
import io.leasehold.LockScope;
import io.leasehold.annotation.DistributedLock;
import io.leasehold.event.LockEvent;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Contract of locks that are part of a transaction, on databases with shared locks.
 */
abstract class SharedTransactionScopeContract extends SavepointContract {

	@Override
	List<Class<?>> beans() {
		return List.of(SharedPages.class);
	}

	@Test
	void readersShareAndExcludeWriters() {
		this.transaction.executeWithoutResult((status) -> {
			read("page");
			assertThat(isReadableForOthers("page")).isTrue();
			assertThat(isFreeForOthers("page")).isFalse();
		});
		this.transaction.executeWithoutResult((status) -> {
			lock("page");
			read("page");
			assertThat(isReadableForOthers("page")).isFalse();
		});
		assertThat(isFreeForOthers("page")).isTrue();
	}

	/** Two readers that both want to write would be in a deadlock. */
	@Test
	void readerDoesNotBecomeWriter() {
		this.transaction.executeWithoutResult((status) -> {
			read("page");
			assertThatExceptionOfType(LockModeException.class).isThrownBy(() -> lock("page"))
				.withMessageContaining("holds it as shared");
			assertThat(isReadableForOthers("page")).isTrue();
		});
	}

	/** A savepoint may end the shared lock, and no other transaction has it. */
	@Test
	void readerOfARolledBackSavepointBecomesWriter() {
		this.transaction.executeWithoutResult((status) -> {
			nested((savepoint) -> {
				read("page");
				savepoint.setRollbackOnly();
			});
			lock("page");
			assertThat(isReadableForOthers("page")).isFalse();
		});
	}

	@Test
	void laterReaderQueuesBehindAWaitingWriter() {
		CountDownLatch locked = new CountDownLatch(1);
		CountDownLatch goOn = new CountDownLatch(1);
		Future<?> reader = inOtherTransaction((status) -> {
			read("page");
			locked.countDown();
			meet(goOn);
		});
		meet(locked);
		Future<?> writer = inOtherTransaction((status) -> this.shop.patiently("page"));
		await().until(() -> !this.events.of(LockEvent.WaitStarted.class).isEmpty());
		await().until(() -> !isReadableForOthers("page"));
		assertThat(writer.isDone()).isFalse();
		goOn.countDown();
		get(reader);
		get(writer);
		assertThat(isReadableForOthers("page")).isTrue();
	}

	private void read(String key) {
		call(() -> this.application.bean(Pages.class).read(key, () -> true));
	}

	private boolean isReadableForOthers(String key) {
		return tries(() -> read(key));
	}

	public static class Pages {

		@DistributedLock(key = "#key", scope = LockScope.TRANSACTION, waitTime = "0s", mode = LockMode.SHARED)
		public <T> T read(String key, Callable<T> body) throws Exception {
			return body.call();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import(Pages.class)
	static class SharedPages {

	}

}
