package io.leasehold.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.leasehold.DistributedLocks;
import io.leasehold.HeldLock;
import io.leasehold.LockInspector;
import io.leasehold.LockOptions;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.event.LockEvent;
import io.leasehold.event.LockEventListener;
import io.leasehold.service.LockService;
import io.leasehold.service.OnLost;
import io.leasehold.service.ReleaseTiming;
import io.leasehold.service.ServiceSettings;
import io.leasehold.test.contract.Fault;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

@ExtendWith(OutputCaptureExtension.class)
class LeaseholdAutoConfigurationTests {

	private final ApplicationContextRunner bare = Leasehold.runner();

	private final ApplicationContextRunner runner = this.bare.withBean("stub", LockEngine.class,
			() -> new StubEngine("stub"));

	@Test
	void locksAreTakenByTheOnlyEngine() {
		this.runner.run((context) -> {
			try (HeldLock held = context.getBean(DistributedLocks.class).acquire("order:42")) {
				assertThat(held.isValid()).isTrue();
				assertThat(context.getBean(DistributedLocks.class).defaults().engine()).isEqualTo("stub");
			}
		});
	}

	@Test
	void thereIsOneBeanOfDistributedLocks() {
		this.runner.run((context) -> assertThat(context).hasSingleBean(DistributedLocks.class)
			.hasSingleBean(LockService.class));
	}

	@Test
	void defaultsComeFromProperties() {
		this.runner
			.withPropertyValues("leasehold.lease=1m", "leasehold.wait-time=0s", "leasehold.on-lost=interrupt",
					"leasehold.engine=stub")
			.run((context) -> {
				LockService service = context.getBean(LockService.class);
				assertThat(service.defaults()).isEqualTo(new LockOptions("unnamed", "stub", Duration.ofMinutes(1),
						Duration.ZERO, Duration.ZERO, LockOptions.UNLIMITED));
				assertThat(service.onLost()).isEqualTo(OnLost.INTERRUPT);
			});
	}

	@Test
	void namedEngineIsTheDefaultAmongSeveral() {
		this.runner.withBean("other", LockEngine.class, () -> new StubEngine("other"))
			.withPropertyValues("leasehold.engine=other")
			.run((context) -> {
				LockService service = context.getBean(LockService.class);
				assertThat(service.defaults().engine()).isEqualTo("other");
				assertThat(service.engine("stub")).isSameAs(context.getBean("stub"));
			});
	}

	@Test
	void inspectorIsABean() {
		this.runner.run((context) -> {
			LockInspector inspector = context.getBean(LockInspector.class);
			assertThat(inspector.engines()).containsExactly("stub");
			assertThat(inspector.overview().held()).isEmpty();
		});
	}

	@Test
	void memberIsNamedAfterTheApplication() {
		this.runner.withPropertyValues("spring.application.name=shop")
			.run((context) -> assertThat(context.getBean(Member.class).id()).startsWith("shop@"));
	}

	@Test
	void memberOfAnApplicationWithoutNameHasAnIdNevertheless() {
		this.runner.withPropertyValues("spring.application.name=")
			.run((context) -> assertThat(context.getBean(Member.class).id()).startsWith("application@"));
	}

	@Test
	void allListenersAreNotified() {
		List<LockEvent> first = new CopyOnWriteArrayList<>();
		List<LockEvent> second = new CopyOnWriteArrayList<>();
		this.runner.withBean("first", LockEventListener.class, () -> first::add)
			.withBean("second", LockEventListener.class, () -> second::add)
			.run((context) -> {
				context.getBean(DistributedLocks.class).acquire("order:42").close();
				assertThat(first).hasSize(2).isEqualTo(second);
			});
	}

	@Test
	void ownMemberWins() {
		Member own = Member.of("own");
		this.runner.withBean("own", Member.class, () -> own)
			.run((context) -> assertThat(context).getBean(Member.class).isSameAs(own));
	}

	@Test
	void ownClockWins() {
		MonotonicClock own = System::nanoTime;
		this.runner.withBean("own", MonotonicClock.class, () -> own)
			.run((context) -> assertThat(context).getBean(MonotonicClock.class).isSameAs(own));
	}

	@Test
	void ownReleaseTimingWins() {
		ReleaseTiming own = () -> Runnable::run;
		this.runner.withBean("own", ReleaseTiming.class, () -> own)
			.run((context) -> assertThat(context).getBean(ReleaseTiming.class).isSameAs(own));
	}

	@Test
	void ownServiceWins() {
		LockOptions defaults = new LockOptions("own", "stub", Duration.ofSeconds(1), Duration.ZERO, Duration.ZERO,
				LockOptions.UNLIMITED);
		LockService own = new LockService(new ServiceSettings(defaults, OnLost.THROW, 0, Duration.ZERO),
				List.of(new StubEngine("stub")), Member.of("own"), MonotonicClock.SYSTEM, List.of(),
				ReleaseTiming.IMMEDIATE);
		this.bare.withBean("own", LockService.class, () -> own)
			.run((context) -> assertThat(context).getBean(DistributedLocks.class).isSameAs(own));
	}

	/**
	 * A lease that two requests could outlast stops the start. Renewals come after a
	 * third of it, which nobody can set otherwise.
	 */
	@Fault(78)
	@Test
	void leaseThatTheEngineCannotRenewInTimeStopsTheStart() {
		this.runner.withPropertyValues("leasehold.lease=99ms")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasFieldOrPropertyWithValue("name", "leasehold.lease")
				.hasFieldOrPropertyWithValue("reason",
						"Engine 'stub' cannot renew a lease shorter than 100 ms in time. This limit is a multiple of the "
								+ "engine's command or call timeout, if it has one: use a longer lease, or shorten that timeout."));
	}

	@Test
	void lockDelayThatTheEngineDoesNotHaveStopsTheStart() {
		this.runner.withPropertyValues("leasehold.lock-delay=1s")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasFieldOrPropertyWithValue("name", "leasehold.lock-delay")
				.hasFieldOrPropertyWithValue("reason", "It requires a lock delay, which engine 'stub' does not support."
						+ " Set the lock delay to 0s, or use another engine."));
	}

	@Test
	void lingerTimeThatTheEngineDoesNotHaveStopsTheStart() {
		this.runner.withPropertyValues("leasehold.linger=1s")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasFieldOrPropertyWithValue("name", "leasehold.linger")
				.hasFieldOrPropertyWithValue("reason", "It requires a linger time, which engine 'stub' does not"
						+ " support. Set the linger time to 0s, or use another engine."));
	}

	@Test
	void lingerTimeThatIsTooShortForTheEngineStopsTheStart() {
		this.runner.withPropertyValues("leasehold.engine=local", "leasehold.local.enabled=true", "leasehold.linger=9ms")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasFieldOrPropertyWithValue("name", "leasehold.linger")
				.hasFieldOrPropertyWithValue("reason", "It requires a linger time of PT0.009S, but engine 'local' needs"
						+ " at least PT0.01S. Lengthen the linger time, or use another engine."));
	}

	@Test
	void nothingIsSaidWhereMethodsAreProtected(CapturedOutput output) {
		this.runner.run((context) -> assertThat(output).doesNotContain("without their locks"));
	}

	@Test
	void warnsThatMethodsMayProceedWithoutTheirLocks(CapturedOutput output) {
		this.runner.withPropertyValues("leasehold.when-unavailable=proceed")
			.run((context) -> assertThat(OwnWarnings.in(output)).singleElement()
				.asString()
				.contains("leasehold.when-unavailable is 'proceed': methods annotated with @DistributedLock run "
						+ "without their locks while the store is unavailable"));
	}

	@Test
	void lazyApplicationIsWarnedAsWell(CapturedOutput output) {
		this.runner
			.withInitializer(
					(context) -> context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
			.withPropertyValues("leasehold.when-unavailable=proceed")
			.run((context) -> assertThat(output).contains("leasehold.when-unavailable is 'proceed'"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "com.zaxxer.hikari", "io.lettuce", "io.micrometer", "org.aspectj",
			"org.springframework.boot.actuate", "org.springframework.boot.data.redis",
			"org.springframework.boot.health", "org.springframework.boot.jdbc", "org.springframework.boot.micrometer",
			"org.springframework.boot.sql", "org.springframework.boot.transaction", "org.springframework.data.redis",
			"org.springframework.jdbc", "org.springframework.transaction", "reactor.core" })
	void locksAreTakenWithoutTheOptionalLibrary(String missing) {
		this.runner.withClassLoader(new FilteredClassLoader(missing))
			.run((context) -> context.getBean(DistributedLocks.class).acquire("order:42").close());
	}

}
