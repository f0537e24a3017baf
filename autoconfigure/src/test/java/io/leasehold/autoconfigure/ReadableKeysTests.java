package io.leasehold.autoconfigure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import io.leasehold.DistributedLocks;
import io.leasehold.HeldLock;
import io.leasehold.LockException;
import io.leasehold.LockInspector;
import io.leasehold.LockKey;
import io.leasehold.LockLostEvent;
import io.leasehold.LockMode;
import io.leasehold.LockOptions;
import io.leasehold.annotation.DistributedLock;
import io.leasehold.autoconfigure.fencing.LeaseholdFencingAutoConfiguration;
import io.leasehold.autoconfigure.jdbc.LeaseholdJdbcAutoConfiguration;
import io.leasehold.endpoint.LockActivity;
import io.leasehold.endpoint.LocksEndpoint;
import io.leasehold.engine.local.LocalLockEngine;
import io.leasehold.service.LockService;
import io.leasehold.test.contract.Fault;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.context.event.EventListener;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Keys are user data: a line break in one must not begin a line of the log. All loggers
 * of the library log at debug level here.
 */
@ExtendWith(OutputCaptureExtension.class)
class ReadableKeysTests {

	/** Begins a line wherever it is printed as it is. */
	private static final String FORGED = "order:1\nforged \r\nforged \u0085forged \u2028forged \u001b[2J\u202e";

	private static final LockKey KEY = new LockKey(FORGED);

	private final Logger logger = ((LoggerContext) LoggerFactory.getILoggerFactory()).getLogger("io.leasehold");

	private final @Nullable Level level = this.logger.getLevel();

	private final List<Throwable> thrown = new ArrayList<>();

	@BeforeEach
	void logEverything() {
		this.logger.setLevel(Level.DEBUG);
	}

	@AfterEach
	void logAsBefore() {
		this.logger.setLevel(this.level);
	}

	@Test
	void keyIsShownWithoutControlCharacters() {
		assertThat(KEY).hasToString(KEY.readable())
			.hasToString("order:1%0Aforged %0D%0Aforged %C2%85forged %E2%80%A8forged %1B[2J%E2%80%AE");
		assertThat(KEY.value()).isEqualTo(FORGED);
		assertThat(new LockKey("100%")).hasToString("100%25");
		assertThat(new LockKey("\u00e4 \ud83c\udf63")).hasToString("\u00e4 \ud83c\udf63");
		assertThat(new LockKey("a\udb40\udc41b")).as("invisible").hasToString("a%F3%A0%81%81b");
		assertThat(new LockException(null, "\n a\udb40\udc41\nb", null) {
		}).hasMessage(" a b");
	}

	/** A line break in a key begins no line of the log or of a message. */
	@Fault(130)
	@ParameterizedTest
	@ValueSource(strings = { "local", "jdbc" })
	void lineBreakInAKeyBeginsNoLine(String engine, CapturedOutput output) {
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(LeaseholdAutoConfiguration.class,
					LeaseholdLocalAutoConfiguration.class, DataSourceAutoConfiguration.class,
					DataSourceTransactionManagerAutoConfiguration.class, TransactionAutoConfiguration.class,
					LeaseholdJdbcAutoConfiguration.class, LeaseholdFencingAutoConfiguration.class))
			.withPropertyValues("leasehold.engine=" + engine, "leasehold.local.enabled=true",
					"leasehold.jdbc.enabled=true", "leasehold.slow-hold=1ms", "leasehold.wait-time=50ms",
					"leasehold.jdbc.call-timeout=10s", "leasehold.lease=10m",
					"spring.datasource.generate-unique-name=true")
			.withUserConfiguration(Orders.class, Listeners.class)
			.run((context) -> {
				DistributedLocks locks = context.getBean(DistributedLocks.class);
				Orders orders = context.getBean(Orders.class);
				busy(locks, orders);
				wrongForms(locks);
				new TransactionTemplate(context.getBean(PlatformTransactionManager.class))
					.executeWithoutResult((status) -> refuse(() -> orders.fenced(FORGED)));
				refusedKeys(locks, orders);
				lost(context, locks, engine);
				down(context, locks, orders, engine);
				Awaitility.await().until(() -> output.getAll().contains("A listener failed on"));
			});
		assertThat(this.thrown).hasSizeGreaterThan(9)
			.allSatisfy((failure) -> assertThat(failure.toString()).contains("order:1").doesNotMatch("(?s).*\\R.*"));
		assertThat(output.getAll().lines()).filteredOn((line) -> line.contains("order:1%0Aforged"))
			.hasSizeGreaterThan(5);
		assertThat(output.getAll().split("[\\n\\r\\u0085\\u2028]")).isNotEmpty()
			.noneMatch((line) -> line.startsWith("forged"));
	}

	private void busy(DistributedLocks locks, Orders orders) throws Exception {
		HeldLock held = locks.acquireAsync(FORGED, patient(locks)).get(30, TimeUnit.SECONDS);
		assertThat(held.toString()).contains("order:1").doesNotContain("\n");
		refuse(() -> locks.acquire(FORGED));
		refuse(() -> orders.pay(FORGED));
		refuse(() -> locks.call(FORGED, (lock) -> "never"));
		Thread.currentThread().interrupt();
		refuse(() -> locks.acquire(FORGED));
		assertThat(Thread.interrupted()).isTrue();
		refuse(() -> held.fencingToken(FORGED + "x"));
		held.close();
		HeldLock both = ((LockService) locks).acquireAll(List.of(FORGED, FORGED + "2"), patient(locks));
		assertThat(both.toString()).doesNotContain("\n");
		refuse(both::fencingToken);
		both.close();
	}

	/** Not disturbed by a slow first connection. */
	private static LockOptions patient(DistributedLocks locks) {
		return locks.defaults().toBuilder().waitTime(Duration.ofSeconds(30)).build();
	}

	private void wrongForms(DistributedLocks locks) {
		LockOptions shared = patient(locks).toBuilder().mode(LockMode.SHARED).build();
		try (HeldLock held = locks.acquire(FORGED, shared)) {
			refuse(() -> locks.acquire(FORGED));
			assertThat(held.isValid()).isTrue();
		}
	}

	private void refusedKeys(DistributedLocks locks, Orders orders) {
		refuse(() -> locks.acquire(FORGED + "\ud83c"));
		refuse(() -> locks.acquire(FORGED + "x".repeat(512)));
		refuse(() -> orders.of(new Order(FORGED, null)));
		refuse(() -> orders.number(FORGED));
	}

	private void lost(ApplicationContext context, DistributedLocks locks, String engine) {
		HeldLock held = locks.acquire(FORGED, patient(locks));
		held.onLost((loss) -> {
			throw new IllegalStateException("The action fails");
		});
		SecurityContext anonymous = SecurityContext.NONE;
		endpoint(context).forceRelease(engine, FORGED, anonymous);
		Awaitility.await().until(() -> !held.isValid());
		refuse(held::throwIfLost);
		refuse(held::close);
	}

	private void down(ApplicationContext context, DistributedLocks locks, Orders orders, String engine) {
		HeldLock held = locks.acquire(FORGED, patient(locks));
		context.getBean(LocalLockEngine.class).faults().setDown(true);
		JdbcTemplate database = new JdbcTemplate(context.getBean(DataSource.class));
		database.execute("ALTER TABLE leasehold_lock RENAME TO hidden");
		refuse(() -> locks.acquire(FORGED + "2"));
		refuse(() -> orders.pay(FORGED + "2"));
		refuse(() -> locks.isCurrent(FORGED, 1));
		CompletableFuture<HeldLock> later = locks.acquireAsync(FORGED + "3");
		refuse(later::join);
		catchThrowable(held::close);
		catchThrowable(() -> endpoint(context).forceRelease(engine, FORGED, SecurityContext.NONE));
		database.execute("ALTER TABLE hidden RENAME TO leasehold_lock");
		context.getBean(LocalLockEngine.class).faults().setDown(false);
	}

	private static LocksEndpoint endpoint(ApplicationContext context) {
		return new LocksEndpoint(context.getBean(LockInspector.class), new LockActivity(System::nanoTime, true),
				context);
	}

	private void refuse(Runnable call) {
		Throwable failure = catchThrowable(call::run);
		assertThat(failure).isNotNull();
		this.thrown.add((failure.getCause() instanceof LockException cause) ? cause : failure);
	}

	record Order(String customer, @Nullable String number) {
	}

	static class Orders {

		@DistributedLock(key = "#id")
		public void pay(String id) {
		}

		@DistributedLock(key = "#id", fenced = true)
		public void fenced(String id) {
		}

		@DistributedLock(key = "'order:1' + #order")
		public void of(Order order) {
		}

		@DistributedLock(key = "'order:1' + T(Integer).parseInt(#id)")
		public void number(String id) {
		}

	}

	static class Listeners {

		@EventListener
		public void lost(LockLostEvent event) {
			throw new IllegalStateException("The listener fails");
		}

	}

}
