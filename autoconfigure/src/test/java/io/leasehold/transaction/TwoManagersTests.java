package io.leasehold.transaction;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

import io.leasehold.DistributedLocks;
import io.leasehold.HeldLock;
import io.leasehold.annotation.DistributedLock;
import io.leasehold.autoconfigure.Leasehold;
import io.r2dbc.spi.ConnectionFactories;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Mono;

import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.r2dbc.connection.R2dbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.ReactiveTransactionManager;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.reactive.TransactionalOperator;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.transaction.annotation.Propagation.NESTED;
import static org.springframework.transaction.annotation.Propagation.NOT_SUPPORTED;
import static org.springframework.transaction.annotation.Propagation.REQUIRED;
import static org.springframework.transaction.annotation.Propagation.REQUIRES_NEW;
import static org.springframework.transaction.annotation.Propagation.SUPPORTS;

/**
 * Transactions of two databases inside each other. A lock is released after the one that
 * began last, of those that are open when it is acquired.
 */
class TwoManagersTests {

	private final ApplicationContextRunner runner = Leasehold.runner()
		.withPropertyValues("leasehold.engine=local", "leasehold.lease=10m", "leasehold.wait-time=0s");

	@ParameterizedTest
	@EnumSource
	void lockIsReleasedAfterTheTransactionThatBeganLast(Nested nested) {
		this.runner.withBean("a", PlatformTransactionManager.class, TwoManagersTests::blocking)
			.withBean("b", PlatformTransactionManager.class, TwoManagersTests::blocking)
			.run((context) -> {
				List<Boolean> free = new ArrayList<>();
				run(context, nested, nested.levels, free);
				assertThat(free).isEqualTo(nested.expected());
			});
	}

	@ParameterizedTest
	@EnumSource
	void lockOfAPublisherIsReleasedAfterTheTransactionThatBeganLast(Nested nested) {
		this.runner.withBean("a", ReactiveTransactionManager.class, TwoManagersTests::reactive)
			.withBean("b", ReactiveTransactionManager.class, TwoManagersTests::reactive)
			.withUserConfiguration(Locked.class)
			.run((context) -> {
				List<Boolean> free = new ArrayList<>();
				ReactiveShop.run(publisher(context, nested, nested.levels, free));
				assertThat(free).isEqualTo(nested.expected());
			});
	}

	private static PlatformTransactionManager blocking() {
		return new DataSourceTransactionManager(new DriverManagerDataSource("jdbc:h2:mem:" + UUID.randomUUID()));
	}

	private static ReactiveTransactionManager reactive() {
		return new R2dbcTransactionManager(ConnectionFactories.get("r2dbc:h2:mem:///" + UUID.randomUUID()));
	}

	private static void run(ApplicationContext context, Nested nested, List<Level> levels, List<Boolean> free) {
		if (levels.isEmpty()) {
			nested.before.forEach((before) -> run(context, before, () -> {
			}));
			context.getBean(DistributedLocks.class).acquire("k").close();
			return;
		}
		run(context, levels.get(0), () -> run(context, nested, levels.subList(1, levels.size()), free));
		free.add(isFree(context));
	}

	private static void run(ApplicationContext context, Level level, Runnable work) {
		new TransactionTemplate(context.getBean(level.manager, PlatformTransactionManager.class), level.definition())
			.executeWithoutResult((status) -> work.run());
	}

	private static Mono<Void> publisher(ApplicationContext context, Nested nested, List<Level> levels,
			List<Boolean> free) {
		if (levels.isEmpty()) {
			Mono<Void> locked = Mono.defer(context.getBean(Locked.class)::run);
			return nested.before.stream()
				.map((before) -> within(context, before, Mono.empty()))
				.reduce(Mono.empty(), Mono::then)
				.then(locked);
		}
		Mono<Void> work = Mono.defer(() -> publisher(context, nested, levels.subList(1, levels.size()), free));
		return within(context, levels.get(0), work).then(Mono.fromRunnable(() -> free.add(isFree(context))));
	}

	private static Mono<Void> within(ApplicationContext context, Level level, Mono<Void> work) {
		return TransactionalOperator
			.create(context.getBean(level.manager, ReactiveTransactionManager.class), level.definition())
			.transactional(work);
	}

	/** In another thread, because the transaction's own enters its locks again. */
	private static boolean isFree(ApplicationContext context) {
		return CompletableFuture.supplyAsync(() -> {
			var held = context.getBean(DistributedLocks.class).tryAcquire("k");
			held.ifPresent(HeldLock::close);
			return held.isPresent();
		}).join();
	}

	/** Transactions from the outermost, in the last of which the lock is acquired. */
	enum Nested {

		REQUIRED_OF_THE_OTHER(1, a(REQUIRED), b(REQUIRED)),

		NEW_OF_THE_OTHER(1, a(REQUIRED), b(REQUIRES_NEW)),

		NESTED_OF_THE_OTHER(1, a(REQUIRED), b(NESTED)),

		NONE_OF_THE_OTHER(2, a(REQUIRED), b(NOT_SUPPORTED)),

		SUPPORTED_BY_THE_OTHER(2, a(REQUIRED), b(SUPPORTS)),

		NEW_OF_EACH(1, a(REQUIRED), b(REQUIRES_NEW), a(REQUIRES_NEW)),

		OTHER_IN_A_NEW(1, a(REQUIRED), a(REQUIRES_NEW), b(REQUIRED)),

		OTHER_WITHOUT_OUTER(1, a(NOT_SUPPORTED), b(REQUIRED)),

		/** The first one is resumed before the lock is acquired. */
		AFTER_A_NEW_OF_THE_FIRST(1, List.of(a(REQUIRES_NEW)), a(REQUIRED), b(REQUIRES_NEW)),

		AFTER_NONE_OF_THE_FIRST(1, List.of(a(NOT_SUPPORTED)), a(REQUIRED), b(REQUIRES_NEW)),

		AFTER_A_NEW_OF_THE_OTHER(1, List.of(b(REQUIRES_NEW)), a(REQUIRED), b(REQUIRED)),

		AFTER_A_NEW_OF_EACH(1, List.of(b(REQUIRES_NEW), a(REQUIRES_NEW)), a(REQUIRED), b(REQUIRED)),

		AFTER_THE_OTHER(1, List.of(b(REQUIRED)), a(REQUIRED));

		/** Number of levels that end before the lock is free, plus one. */
		private final int releasedWith;

		/** Transactions that end before the lock is acquired. */
		private final List<Level> before;

		private final List<Level> levels;

		Nested(int releasedWith, Level... levels) {
			this(releasedWith, List.of(), levels);
		}

		Nested(int releasedWith, List<Level> before, Level... levels) {
			this.releasedWith = releasedWith;
			this.before = before;
			this.levels = List.of(levels);
		}

		/** Whether the lock is free after each transaction, from the innermost. */
		private List<Boolean> expected() {
			List<Boolean> free = new ArrayList<>(Collections.nCopies(this.levels.size(), true));
			for (int i = 0; i < this.releasedWith - 1; i++) {
				free.set(i, false);
			}
			return free;
		}

		private static Level a(Propagation propagation) {
			return new Level("a", propagation);
		}

		private static Level b(Propagation propagation) {
			return new Level("b", propagation);
		}

	}

	/** Transaction of a manager. */
	record Level(String manager, Propagation propagation) {

		private DefaultTransactionDefinition definition() {
			return new DefaultTransactionDefinition(this.propagation.value());
		}

	}

	static class Locked {

		@DistributedLock(key = "'k'")
		public Mono<Void> run() {
			return Mono.empty();
		}

	}

}
