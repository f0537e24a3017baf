package io.leasehold;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

import io.leasehold.annotation.DistributedLock;
import io.leasehold.autoconfigure.LeaseholdAutoConfiguration;
import io.leasehold.autoconfigure.LeaseholdLocalAutoConfiguration;
import io.leasehold.engine.local.LocalLockEngine;
import io.leasehold.reactive.ReactiveLocks;
import io.leasehold.test.contract.Fault;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ContextConsumer;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.test.web.reactive.server.WebTestClient;
import org.springframework.test.web.servlet.client.RestTestClient;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.RestControllerAdvice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * A lock that is lost since its store is down is not a store that is down: the method
 * ran. What Spring decides by the type of an exception, it often decides by its causes.
 */
class LostLockHandlingTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(
				AutoConfigurations.of(LeaseholdAutoConfiguration.class, LeaseholdLocalAutoConfiguration.class,
						DataSourceAutoConfiguration.class, JdbcTemplateAutoConfiguration.class,
						DataSourceTransactionManagerAutoConfiguration.class, TransactionAutoConfiguration.class))
		.withUserConfiguration(Retries.class, Till.class, Ledger.class)
		.withPropertyValues("leasehold.engine=local", "leasehold.lease=300ms", "leasehold.wait-time=0s",
				"spring.datasource.generate-unique-name=true");

	@Test
	@Fault(103)
	void handlersOfWebMvcTellALossFromAStoreThatIsDown() {
		run((context) -> {
			RestTestClient client = RestTestClient.bindToController(context.getBean(Till.class))
				.configureServer((server) -> server.setControllerAdvice(new Responses()))
				.build();
			client.post().uri("/charge").exchange().expectStatus().isEqualTo(HttpStatus.INTERNAL_SERVER_ERROR);
			assertThat(context.getBean(Till.class).charges()).isOne();
			context.getBean(LocalLockEngine.class).faults().setDown(true);
			client.post().uri("/charge").exchange().expectStatus().isEqualTo(HttpStatus.SERVICE_UNAVAILABLE);
			assertThat(context.getBean(Till.class).charges()).isOne();
		});
	}

	@Test
	@Fault(103)
	void handlersOfWebFluxTellALossFromAStoreThatIsDown() {
		run((context) -> {
			WebTestClient client = WebTestClient.bindToController(context.getBean(Till.class))
				.controllerAdvice(new Responses())
				.build();
			client.post().uri("/charge-later").exchange().expectStatus().isEqualTo(HttpStatus.INTERNAL_SERVER_ERROR);
			assertThat(context.getBean(Till.class).charges()).isOne();
			context.getBean(LocalLockEngine.class).faults().setDown(true);
			client.post().uri("/charge-later").exchange().expectStatus().isEqualTo(HttpStatus.SERVICE_UNAVAILABLE);
			assertThat(context.getBean(Till.class).charges()).isOne();
		});
	}

	/** A retry would charge twice. */
	@Test
	@Fault(103)
	void lossIsNotRetriedAsAStoreThatIsDown() {
		run((context) -> {
			Till till = context.getBean(Till.class);
			assertThatExceptionOfType(LockLostException.class).isThrownBy(till::chargeWithRetry);
			assertThat(till.charges()).isOne();
			context.getBean(LocalLockEngine.class).faults().setDown(true);
			assertThatExceptionOfType(LockEngineException.class).isThrownBy(till::chargeWithRetry);
			assertThat(till.charges()).isOne();
		});
	}

	@Test
	@Fault(103)
	void rollbackRulesTellALossFromAStoreThatIsDown() {
		run((context) -> {
			JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
			jdbc.execute("CREATE TABLE charge (id INT)");
			Ledger ledger = context.getBean(Ledger.class);
			assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> ledger.note(1));
			context.getBean(LocalLockEngine.class).faults().setDown(true);
			assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> ledger.note(2));
			assertThat(jdbc.queryForList("SELECT id FROM charge", Integer.class)).containsExactly(2);
		});
	}

	@Test
	void failureOfTheRenewalIsInTheStackTrace() {
		run((context) -> assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(context.getBean(Till.class)::charge)
			.withNoCause()
			.satisfies((ex) -> assertThat(ex.getSuppressed()).hasAtLeastOneElementOfType(LockEngineException.class)));
	}

	@Test
	void exceptionOfAnotherKindIsNotACause() {
		LockKey key = new LockKey("till");
		LockBusyException busy = new LockBusyException(key, "busy", Duration.ZERO);
		assertThat(new LockEngineException(key, "down", busy)).hasNoCause().hasSuppressedException(busy);
		assertThat(new LockKeyException("till", "bad", busy)).hasNoCause().hasSuppressedException(busy);
		LockEngineException down = new LockEngineException(key, "down", null);
		assertThat(new LockEngineException(key, "still down", down)).hasCause(down);
	}

	private void run(ContextConsumer<AssertableApplicationContext> test) {
		this.runner.run((context) -> {
			assertThat(context).hasNotFailed();
			test.accept(context);
		});
	}

	@Configuration(proxyBeanMethods = false)
	@EnableResilientMethods
	static class Retries {

	}

	@RestController
	static class Till {

		private final AtomicInteger charges = new AtomicInteger();

		private final LocalLockEngine engine;

		Till(LocalLockEngine engine) {
			this.engine = engine;
		}

		@PostMapping("/charge")
		@DistributedLock(key = "'till'")
		public String charge() {
			return chargeUnder(HeldLock.current());
		}

		@PostMapping("/charge-later")
		@DistributedLock(key = "'till'")
		public Mono<String> chargeLater() {
			return ReactiveLocks.current()
				.flatMap((lock) -> Mono.fromCallable(() -> chargeUnder(lock)).subscribeOn(Schedulers.boundedElastic()));
		}

		public int charges() {
			return this.charges.get();
		}

		private String chargeUnder(HeldLock lock) {
			this.charges.incrementAndGet();
			this.engine.faults().setDown(true);
			await().until(() -> !lock.isValid());
			this.engine.faults().setDown(false);
			return "charged";
		}

		@Retryable(includes = LockEngineException.class, maxRetries = 1, delay = 1)
		@DistributedLock(key = "'till'")
		public void chargeWithRetry() {
			chargeUnder(HeldLock.current());
		}

	}

	static class Ledger {

		private final JdbcTemplate jdbc;

		private final Till till;

		Ledger(JdbcTemplate jdbc, Till till) {
			this.jdbc = jdbc;
			this.till = till;
		}

		@Transactional(noRollbackFor = LockEngineException.class)
		public void note(int id) {
			this.jdbc.update("INSERT INTO charge VALUES (?)", id);
			this.till.charge();
		}

	}

	@RestControllerAdvice
	static class Responses {

		@ExceptionHandler
		ProblemDetail down(LockEngineException ex) {
			return ProblemDetail.forStatus(HttpStatus.SERVICE_UNAVAILABLE);
		}

	}

}
