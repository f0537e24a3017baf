package io.leasehold.interceptor;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import io.leasehold.HeldLock;
import io.leasehold.LockBusyException;
import io.leasehold.LockException;
import io.leasehold.LockInspector;
import io.leasehold.LockKey;
import io.leasehold.LockLostException;
import io.leasehold.StaleFencingTokenException;
import io.leasehold.annotation.DistributedLock;
import io.leasehold.annotation.LeaderOnly;
import io.leasehold.autoconfigure.Leasehold;
import io.leasehold.engine.local.LocalLockEngine;
import io.leasehold.leadership.Leadership;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * Methods that run only on the leader.
 */
class LeaderOnlyTests {

	private static final LockKey ROLE = new LockKey("leasehold:role:billing");

	private final ApplicationContextRunner runner = Leasehold.runner()
		.withPropertyValues("leasehold.engine=local", "leasehold.leadership.roles=billing", "app.role=billing");

	@Test
	void leaderRunsTheMethodUnderItsTerm() {
		this.runner.withUserConfiguration(Billing.class).run((context) -> {
			long term = awaitLeader(context).term().orElseThrow();
			Billing billing = context.getBean(Billing.class);
			assertThat(billing.send()).isEqualTo("term " + term);
			assertThat(billing.sendOrElse(() -> "sent")).isEqualTo("sent");
			assertThat(billing.optional()).hasValue("sent");
			assertThat(handles(context)).isOne();
			assertThat(context.getBean(Leadership.class).term()).hasValue(term);
		});
	}

	@Test
	void otherInstanceSkipsTheMethodOrCallsTheFallback() {
		this.runner.withUserConfiguration(Billing.class).run((context) -> {
			awaitLeader(context).stepDown(Duration.ofHours(1));
			awaitFree(context);
			Billing billing = context.getBean(Billing.class);
			assertThat(billing.send()).isNull();
			assertThat(billing.optional()).isEmpty();
			assertThat(billing.sendOrElse(LockInterceptorFixture::mustNotRun))
				.isEqualTo("Billing.sendOrElse did not run: this process does not lead in role 'billing'");
			assertThatExceptionOfType(LockBusyException.class).isThrownBy(() -> billing.handle("message"));
			assertThat(context.getBean(LocalLockEngine.class).size()).isZero();
		});
	}

	@Test
	void nobodyLeadsBeforeTheMethodOfTheFormerLeaderHasEnded() {
		this.runner.withUserConfiguration(Billing.class).run((context) -> {
			Leadership leadership = awaitLeader(context);
			context.getBean(Billing.class).sendOrElse(() -> {
				leadership.stepDown(Duration.ofHours(1));
				await().until(() -> !leadership.isLeader() && handles(context) == 1);
				assertThat(HeldLock.current().isValid()).isTrue();
				assertThat(leadership.tryEnter()).isEmpty();
				return "sent";
			});
			assertThat(context.getBean(LocalLockEngine.class).size()).isZero();
		});
	}

	@Test
	void methodInTheMethodOfALeaderThatStepsDownRuns() {
		this.runner.withUserConfiguration(Billing.class).run((context) -> {
			Leadership leadership = awaitLeader(context);
			long term = leadership.term().orElseThrow();
			Billing billing = context.getBean(Billing.class);
			assertThat(billing.sendOrElse(() -> {
				leadership.stepDown(Duration.ofHours(1));
				await().until(() -> !leadership.isLeader() && handles(context) == 1);
				return billing.send();
			})).isEqualTo("term " + term);
			assertThat(context.getBean(LocalLockEngine.class).size()).isZero();
			assertThat(billing.send()).isNull();
		});
	}

	@Test
	void methodOfALeaderThatLostItsTermThrows() {
		this.runner.withUserConfiguration(Billing.class).run((context) -> {
			awaitLeader(context);
			assertThatExceptionOfType(LockLostException.class)
				.isThrownBy(() -> context.getBean(Billing.class).sendOrElse(() -> {
					context.getBean(LockInspector.class).forceRelease("", ROLE);
					return "sent";
				}));
		});
	}

	@Test
	void deposedLeadersTransactionIsRolledBack() {
		this.runner
			.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class,
					DataSourceTransactionManagerAutoConfiguration.class, JdbcTemplateAutoConfiguration.class,
					TransactionAutoConfiguration.class))
			.withPropertyValues("spring.datasource.generate-unique-name=true")
			.withUserConfiguration(FencedBilling.class)
			.run((context) -> {
				awaitLeader(context);
				JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
				jdbc.execute("CREATE TABLE invoice (id INT)");
				FencedBilling billing = context.getBean(FencedBilling.class);
				billing.send(() -> jdbc.update("INSERT INTO invoice VALUES (1)"));
				// The next leader announces its term while this one is in its method
				TransactionTemplate next = new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
				next.setPropagationBehavior(TransactionDefinition.PROPAGATION_NOT_SUPPORTED);
				assertThatExceptionOfType(StaleFencingTokenException.class).isThrownBy(() -> billing.send(() -> {
					jdbc.update("INSERT INTO invoice VALUES (2)");
					next.executeWithoutResult((status) -> jdbc.update("UPDATE leasehold_fence SET token = token + 64"));
				}));
				assertThat(jdbc.queryForList("SELECT id FROM invoice", Integer.class)).containsExactly(1);
			});
	}

	@Test
	void unknownRoleFailsAtStartup() {
		this.runner.withUserConfiguration(Misspelled.class)
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(InvalidLockAnnotationException.class)
				.hasMessageContaining("'billling'")
				.hasMessageContaining("[billing]"));
	}

	@Test
	void applicationWithoutRolesFailsAtStartup() {
		Leasehold.runner()
			.withPropertyValues("leasehold.engine=local", "app.role=billing")
			.withUserConfiguration(Billing.class)
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(InvalidLockAnnotationException.class)
				.hasMessageContaining("is for the leader in role 'billing', but there are no roles"));
	}

	@Test
	void resultThatCannotBeSkippedFailsAtStartup() {
		this.runner.withUserConfiguration(Counting.class)
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(InvalidLockAnnotationException.class)
				.hasMessageContaining("is skipped on other instances than the leader, but returns int"));
	}

	/** Its cancellation would end the term. */
	@Test
	void resultThatEndsLaterIsRejected() {
		this.runner.withUserConfiguration(Later.class)
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(InvalidLockAnnotationException.class)
				.hasMessageContaining("is for a leader, but its result ends later"));
		this.runner.withUserConfiguration(Billing.class).run((context) -> {
			awaitLeader(context);
			assertThat(context.getBean(Billing.class).anything("sent")).isEqualTo("sent");
			assertThatIllegalStateException()
				.isThrownBy(() -> context.getBean(Billing.class).anything(new CompletableFuture<>()))
				.withMessageContaining("Return the complete value");
		});
	}

	@Test
	void methodWithALockOfItsOwnFailsAtStartup() {
		this.runner.withUserConfiguration(TwiceLocked.class)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("has several @DistributedLock annotations"));
		this.runner.withUserConfiguration(LockedInTheClass.class)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("LockedInTheClass.index has a lock of its own"));
	}

	private static Leadership awaitLeader(ApplicationContext context) {
		Leadership leadership = context.getBean(Leadership.class);
		await().until(leadership::isLeader);
		return leadership;
	}

	private static void awaitFree(ApplicationContext context) {
		await().until(() -> context.getBean(LocalLockEngine.class).size() == 0);
	}

	private static int handles(ApplicationContext context) {
		return context.getBean(LockInspector.class).overview("", ROLE).held().get(0).handles();
	}

	static class Billing {

		@LeaderOnly("billing")
		String send() {
			return "term " + HeldLock.current().fencingToken();
		}

		@LeaderOnly(value = "billing", fallback = "reason")
		String sendOrElse(Supplier<String> body) {
			return body.get();
		}

		String reason(Supplier<String> body, LockException reason) {
			assertThat(reason).isInstanceOf(LockBusyException.class);
			return reason.getMessage();
		}

		@LeaderOnly(value = "billing", fallback = "reject")
		void handle(String message) {
			LockInterceptorFixture.mustNotRun();
		}

		void reject(String message, LockException notLeader) {
			throw notLeader;
		}

		@LeaderOnly("${app.role}")
		Optional<String> optional() {
			return Optional.of("sent");
		}

		@LeaderOnly("billing")
		Object anything(Object result) {
			return result;
		}

	}

	static class FencedBilling {

		@Transactional
		@LeaderOnly(value = "billing", fenced = true)
		void send(Runnable body) {
			body.run();
		}

	}

	static class Misspelled {

		@LeaderOnly("billling")
		void send() {
		}

	}

	static class Counting {

		@LeaderOnly("billing")
		int count() {
			return 1;
		}

	}

	static class Later {

		@LeaderOnly("billing")
		CompletionStage<String> send() {
			return CompletableFuture.completedStage("sent");
		}

	}

	@LeaderOnly("billing")
	static class LockedInTheClass {

		public void send() {
		}

		@DistributedLock(key = "'invoices'")
		public void index() {
		}

	}

	static class TwiceLocked {

		@LeaderOnly("billing")
		@DistributedLock(key = "'invoices'")
		void send() {
		}

	}

}
