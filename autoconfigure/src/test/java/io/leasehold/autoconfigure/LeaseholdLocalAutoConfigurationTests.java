package io.leasehold.autoconfigure;

import io.leasehold.DistributedLocks;
import io.leasehold.HeldLock;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.local.LocalLockEngine;
import io.leasehold.service.LockService;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

@ExtendWith(OutputCaptureExtension.class)
class LeaseholdLocalAutoConfigurationTests {

	private final ApplicationContextRunner runner = Leasehold.runner();

	@Test
	void locksAreTakenInMemoryWhenAskedFor() {
		this.runner.withPropertyValues("leasehold.engine=local").run((context) -> {
			DistributedLocks locks = context.getBean(DistributedLocks.class);
			assertThat(locks.defaults().engine()).isEqualTo("local");
			try (HeldLock held = locks.acquire("order:42")) {
				assertThat(held.isValid()).isTrue();
			}
		});
	}

	@Test
	void neverChosenByAccident() {
		this.runner.withBean("stub", LockEngine.class, () -> new StubEngine("stub"))
			.run((context) -> assertThat(context).doesNotHaveBean(LocalLockEngine.class));
	}

	@Test
	void standsBesideTheDefaultEngine() {
		this.runner.withBean("stub", LockEngine.class, () -> new StubEngine("stub"))
			.withPropertyValues("leasehold.engine=stub", "leasehold.local.enabled=true")
			.run((context) -> {
				LockService service = context.getBean(LockService.class);
				assertThat(service.defaults().engine()).isEqualTo("stub");
				assertThat(service.engine("local")).isSameAs(context.getBean(LocalLockEngine.class));
			});
	}

	@Test
	void ownEngineWins() {
		LocalLockEngine own = new LocalLockEngine(MonotonicClock.SYSTEM);
		this.runner.withBean("own", LocalLockEngine.class, () -> own)
			.withPropertyValues("leasehold.engine=local")
			.run((context) -> assertThat(context).getBean(LockEngine.class).isSameAs(own));
	}

	@Test
	void leaseShorterThanItCanRenewStopsTheStart() {
		this.runner.withPropertyValues("leasehold.engine=local", "leasehold.lease=9ms")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasFieldOrPropertyWithValue("reason",
						"Engine 'local' cannot renew a lease shorter than 10 ms in time. This limit is a multiple of the "
								+ "engine's command or call timeout, if it has one: use a longer lease, or shorten that timeout."));
	}

	@Test
	void disabledLocksAreStillTakenInMemoryWhateverTheEngine() {
		this.runner.withPropertyValues("leasehold.enabled=false", "leasehold.engine=redis").run((context) -> {
			assertThat(context).getBeans(LockEngine.class).hasSize(1);
			DistributedLocks locks = context.getBean(DistributedLocks.class);
			assertThat(locks.defaults().engine()).isEqualTo("local");
			locks.acquire("order:42").close();
		});
	}

	@Test
	void disabledLocksWarnAtTheStart(CapturedOutput output) {
		this.runner.withPropertyValues("leasehold.enabled=false", "leasehold.when-unavailable=proceed")
			.run((context) -> assertThat(OwnWarnings.in(output)).singleElement()
				.asString()
				.contains("leasehold.enabled is 'false': methods annotated with @DistributedLock run without their "
						+ "locks, DistributedLocks acquires locks inside this JVM only, each instance leads in its roles,"
						+ " and jobs of ShedLock run on each"));
	}

}
