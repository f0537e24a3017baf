package io.leasehold.autoconfigure;

import java.lang.ref.Reference;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.leasehold.DistributedLocks;
import io.leasehold.HeldLock;
import io.leasehold.LockBusyException;
import io.leasehold.LockInspector;
import io.leasehold.LockMode;
import io.leasehold.LockOptions;
import io.leasehold.annotation.DistributedLock;
import io.leasehold.endpoint.LockActivity;
import io.leasehold.endpoint.LocksEndpoint;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.Renewal;
import io.leasehold.engine.RenewalOutcome;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * An engine that the application brings along as a bean.
 */
class CustomEngineTests {

	private static final Duration LEASE = Duration.ofSeconds(6);

	private final ApplicationContextRunner runner = Leasehold.runner()
		.withPropertyValues("leasehold.wait-time=0s")
		.withBean("engineOfTheApplication", LockEngine.class, () -> new StubEngine("toy"));

	@Test
	void onlyEngineIsTheDefault() {
		this.runner.withBean(Orders.class)
			.run((context) -> assertThat(
					engineOf(context.getBean(DistributedLocks.class), context.getBean(Orders.class)::pay))
				.isEqualTo("toy"));
	}

	@ParameterizedTest
	@CsvSource({ "leasehold.engine=local, local", "leasehold.engine=toy, toy" })
	void standsBesideABuiltInOneByItsName(String property, String byDefault) {
		this.runner.withPropertyValues(property, "leasehold.local.enabled=true")
			.withBean(Orders.class)
			.withBean(Ledger.class)
			.run((context) -> {
				DistributedLocks locks = context.getBean(DistributedLocks.class);
				assertThat(engineOf(locks, context.getBean(Orders.class)::pay)).isEqualTo(byDefault);
				assertThat(engineOf(locks, context.getBean(Ledger.class)::book)).isEqualTo("toy");
			});
	}

	@Test
	void renewalThatHangsDelaysNoneOfAnotherEngine() {
		HangingEngine hanging = new HangingEngine();
		this.runner.withPropertyValues("leasehold.engine=local", "leasehold.lease=" + LEASE)
			.withBean(HangingEngine.class, () -> hanging)
			.run((context) -> {
				DistributedLocks locks = context.getBean(DistributedLocks.class);
				HeldLock stuck = locks.acquire("order:42", locks.defaults().toBuilder().engine("hanging").build());
				assertThat(hanging.asked.await(30, TimeUnit.SECONDS)).isTrue();
				try (HeldLock held = locks.acquire("order:42")) {
					Awaitility.await().during(LEASE.plusSeconds(1)).atMost(LEASE.multipliedBy(10)).until(held::isValid);
				}
				hanging.free.countDown();
				Reference.reachabilityFence(stuck); // one that is dropped is not renewed
			});
	}

	@Test
	void isNotNeededForUnusedFeatures() {
		this.runner.withPropertyValues("leasehold.engine=local").run((context) -> {
			DistributedLocks locks = context.getBean(DistributedLocks.class);
			LockOptions shared = locks.defaults().toBuilder().mode(LockMode.SHARED).build();
			locks.acquire("order:42", shared).close();
			assertThatIllegalArgumentException()
				.isThrownBy(() -> locks.acquire("order:42", shared.toBuilder().engine("toy").build()))
				.withMessageContaining("requires mode SHARED, which engine 'toy' does not support");
		});
	}

	@Test
	void locksOfAnEngineWithoutAListAreRefused() {
		this.runner.run((context) -> {
			LockInspector inspector = context.getBean(LockInspector.class);
			String message = "Engine 'toy' cannot list its locks. Query the holders of one key";
			assertThatExceptionOfType(UnsupportedOperationException.class)
				.isThrownBy(() -> inspector.held("toy", "", null, 1))
				.withMessage(message);
			LocksEndpoint endpoint = new LocksEndpoint(inspector, new LockActivity(System::nanoTime, false), context);
			assertThatExceptionOfType(InvalidEndpointRequestException.class)
				.isThrownBy(() -> endpoint.lock("toy", null, null, null, null))
				.withMessage(message);
		});
	}

	@Test
	void annotationWithAnUnknownEngineStopsTheStart() {
		this.runner.withPropertyValues("leasehold.engine=local").withBean(Misspelt.class).run((context) -> {
			assertThat(context).hasFailed();
			FailureAnalysis analysis = new InvalidLockAnnotationFailureAnalyzer().analyze(context.getStartupFailure());
			assertThat(analysis).isNotNull();
			assertThat(analysis.getDescription()).contains("Misspelt.book has engine \"toi\"")
				.contains("There is no lock engine 'toi', only [local, toy]");
			assertThat(analysis.getAction()).contains("Use one of those");
		});
	}

	/** The engine whose lock keeps a method out, among those that are there. */
	private static String engineOf(DistributedLocks locks, Runnable method) {
		method.run();
		for (String engine : new String[] { "toy", "local" }) {
			HeldLock held = locks.acquireAsync("order:42", locks.defaults().toBuilder().engine(engine).build()).join();
			try {
				method.run();
			}
			catch (LockBusyException ex) {
				return engine;
			}
			finally {
				held.close();
			}
		}
		return "none";
	}

	static class Orders {

		@DistributedLock(key = "'order:42'")
		public void pay() {
			assertThat(HeldLock.current().key()).isEqualTo("order:42");
		}

	}

	static class Ledger {

		@DistributedLock(key = "'order:42'", engine = "toy")
		public void book() {
			assertThat(HeldLock.current().key()).isEqualTo("order:42");
		}

	}

	static class Misspelt {

		@DistributedLock(key = "'order:42'", engine = "toi")
		public void book() {
		}

	}

	/** Keeps to no bound. */
	static class HangingEngine extends StubEngine {

		private final CountDownLatch asked = new CountDownLatch(1);

		private final CountDownLatch free = new CountDownLatch(1);

		HangingEngine() {
			super("hanging");
		}

		@Override
		public List<RenewalOutcome> renew(List<Renewal> renewals) {
			this.asked.countDown();
			try {
				this.free.await();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
			return super.renew(renewals);
		}

	}

}
