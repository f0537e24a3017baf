package io.leasehold.observation;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.tck.ObservationContextAssert;
import io.micrometer.observation.tck.TestObservationRegistry;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.leasehold.HeldLock;
import io.leasehold.HeldLockScope;
import io.leasehold.LockBusyException;
import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import io.leasehold.LockLostException;
import io.leasehold.LockOptions;
import io.leasehold.LossCause;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.local.LocalLockEngine;
import io.leasehold.service.LockService;
import io.leasehold.service.OnLost;
import io.leasehold.service.ReleaseTiming;
import io.leasehold.service.ServiceSettings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class LockObservationsTests {

	private static final String ACQUIRE = "leasehold.lock.acquire";

	private static final String HOLD = "leasehold.lock.hold";

	private static final LockKey KEY = new LockKey("order:42");

	private final TestObservationRegistry registry = TestObservationRegistry.create();

	private final LocalLockEngine store = new LocalLockEngine(MonotonicClock.SYSTEM);

	private final LockService locks = service(new LockObservations(this.registry, null, null));

	private final LockService others = service(new LockObservations(ObservationRegistry.NOOP, null, null));

	@AfterEach
	void close() {
		this.locks.close();
		this.others.close();
	}

	@Test
	void acquisitionAndHoldAreObserved() {
		HeldLock held = this.locks.acquire(KEY.value());
		one(HOLD, (hold) -> hold.hasLowCardinalityKeyValue("outcome", "none"));
		held.close();
		assertThat(this.registry).hasNumberOfObservationsEqualTo(2);
		one(ACQUIRE,
				(acquire) -> acquire.hasContextualNameEqualTo("acquire pay")
					.hasLowCardinalityKeyValue("name", "pay")
					.hasLowCardinalityKeyValue("engine", "local")
					.hasLowCardinalityKeyValue("outcome", "acquired")
					.hasHighCardinalityKeyValue("key", "order:42")
					.hasKeyValuesCount(4)
					.doesNotHaveError()
					.doesNotHaveParentObservation());
		one(HOLD,
				(hold) -> hold.hasContextualNameEqualTo("hold pay")
					.hasLowCardinalityKeyValue("name", "pay")
					.hasLowCardinalityKeyValue("engine", "local")
					.hasLowCardinalityKeyValue("outcome", "released")
					.hasHighCardinalityKeyValue("key", "order:42")
					.hasHighCardinalityKeyValue("token", Long.toString(held.fencingToken()))
					.hasKeyValuesCount(5)
					.doesNotHaveError()
					.doesNotHaveParentObservation());
		ended(HOLD);
	}

	@Test
	void bothAreChildrenOfWhatTheCallerDid() {
		Observation request = Observation.start("request", this.registry);
		request.scoped(() -> this.locks.acquire(KEY.value()).close());
		one(ACQUIRE, (acquire) -> acquire.hasParentObservationEqualTo(request));
		one(HOLD, (hold) -> hold.hasParentObservationEqualTo(request));
	}

	@Test
	void asyncAcquisitionIsAChildOfItsCallerThoughOthersServeIt() throws Exception {
		HeldLock before = this.others.acquire(KEY.value());
		Observation request = Observation.start("request", this.registry);
		CompletableFuture<HeldLock> wait = request.scoped(() -> this.locks.acquireAsync(KEY.value()));
		Awaitility.await().until(() -> this.locks.inspector().overview().waiting().size() == 1);
		Observation another = Observation.start("another", this.registry);
		another.scoped(before::close);
		HeldLock held = wait.get(30, TimeUnit.SECONDS);
		another.scoped(held::close);
		one(ACQUIRE, (acquire) -> acquire.hasParentObservationEqualTo(request)
			.hasLowCardinalityKeyValue("outcome", "acquired"));
		one(HOLD, (hold) -> hold.hasParentObservationEqualTo(request).hasLowCardinalityKeyValue("outcome", "released"));
	}

	/** The thread that releases is in the middle of something else. */
	@Test
	void lockThatIsPassedOnIsAChildOfItsOwnCaller() throws Exception {
		Observation first = Observation.start("first", this.registry);
		Observation second = Observation.start("second", this.registry);
		HeldLock held = first.scoped(() -> this.locks.acquire(KEY.value()));
		CompletableFuture<HeldLock> next = second.scoped(() -> this.locks.acquireAsync(KEY.value()));
		Awaitility.await().until(() -> this.locks.inspector().overview().waiting().size() == 1);
		first.scoped(held::close);
		HeldLock passed = next.get(30, TimeUnit.SECONDS);
		assertThat(passed.fencingToken()).as("passed on without the store").isEqualTo(held.fencingToken() + 1);
		passed.close();
		assertThat(this.registry).hasNumberOfObservationsWithNameEqualTo(HOLD, 2);
		assertThat(this.registry).hasAnObservation((hold) -> hold.hasNameEqualTo(HOLD)
			.hasHighCardinalityKeyValue("token", Long.toString(passed.fencingToken()))
			.hasParentObservationEqualTo(second));
		assertThat(this.registry).hasAnObservation((hold) -> hold.hasNameEqualTo(HOLD)
			.hasHighCardinalityKeyValue("token", Long.toString(held.fencingToken()))
			.hasParentObservationEqualTo(first));
	}

	@Test
	@SuppressWarnings("try")
	void reentryIsNoHoldOfItsOwn() {
		try (HeldLock held = this.locks.acquire(KEY.value());
				HeldLockScope scope = HeldLockScope.open(held);
				HeldLock again = this.locks.acquire(KEY.value())) {
			assertThat(again.fencingToken()).isEqualTo(held.fencingToken());
		}
		assertThat(this.registry).hasNumberOfObservationsWithNameEqualTo(ACQUIRE, 2);
		assertThat(this.registry).hasAnObservationWithAKeyValue("outcome", "reentered");
		one(HOLD, (hold) -> hold.hasLowCardinalityKeyValue("outcome", "released"));
	}

	@Test
	void busyLockIsAnOutcomeAndNoError() {
		HeldLock held = this.others.acquire(KEY.value());
		assertThatExceptionOfType(LockBusyException.class).isThrownBy(() -> this.locks.acquire(KEY.value(),
				this.locks.defaults().toBuilder().waitTime(Duration.ZERO).build()));
		one(ACQUIRE, (acquire) -> acquire.hasLowCardinalityKeyValue("outcome", "busy").doesNotHaveError());
		assertThat(this.registry).hasNumberOfObservationsEqualTo(1);
		held.close();
	}

	@Test
	void storeThatIsDownIsAnError() {
		this.store.faults().setDown(true);
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> this.locks.acquire(KEY.value(),
				this.locks.defaults().toBuilder().waitTime(Duration.ZERO).build()));
		one(ACQUIRE, (acquire) -> acquire.hasLowCardinalityKeyValue("outcome", "unavailable").hasError());
	}

	@Test
	void lossIsAnErrorOfTheHold() {
		HeldLock held = this.locks.acquire(KEY.value());
		this.locks.inspector().forceRelease("local", KEY);
		ended(HOLD);
		one(HOLD, (hold) -> hold.hasLowCardinalityKeyValue("outcome", "not_owner").hasError());
		assertThatExceptionOfType(LockLostException.class).isThrownBy(held::close);
		assertThat(this.registry).hasNumberOfObservationsWithNameEqualTo(HOLD, 1);
	}

	@Test
	void lossThatIsReportedBeforeTheHoldBeginsEndsIt() {
		ObservedAcquisition observed = new ObservedAcquisition(this.registry, null, null, "local", "pay", KEY);
		observed.holdEnded(LossCause.EXPIRED);
		observed.holdStarted(64);
		ended(HOLD);
		one(HOLD, (hold) -> hold.hasLowCardinalityKeyValue("outcome", "expired").hasError());
	}

	@Test
	void ownConventionsWin() {
		try (LockService service = service(
				new LockObservations(this.registry, new DefaultAcquireObservationConvention() {
					@Override
					public String getName() {
						return "own.acquire";
					}
				}, new DefaultHoldObservationConvention() {
					@Override
					public String getName() {
						return "own.hold";
					}
				}))) {
			service.acquire(KEY.value()).close();
			one("own.acquire", (acquire) -> acquire.hasHighCardinalityKeyValue("key", "order:42"));
			one("own.hold", (hold) -> hold.hasHighCardinalityKeyValue("key", "order:42"));
		}
	}

	@Test
	void nothingIsCreatedWithoutObservers() {
		assertThat(new LockObservations(ObservationRegistry.NOOP, null, null).follow("local", "pay", KEY)).isNull();
		assertThat(new LockObservations(ObservationRegistry.create(), null, null).follow("local", "pay", KEY))
			.as("a registry without handlers")
			.isNull();
	}

	@Test
	void handlerThatFailsHarmsNoLock() {
		this.registry.observationConfig().observationHandler(new ObservationHandler<>() {
			@Override
			public void onStart(Observation.Context context) {
				throw new IllegalStateException("handler");
			}

			@Override
			public boolean supportsContext(Observation.Context context) {
				return true;
			}
		});
		this.locks.acquire(KEY.value()).close();
		assertThat(this.store.size()).isZero();
	}

	private void one(String name, Consumer<ObservationContextAssert<?>> check) {
		assertThat(this.registry).hasNumberOfObservationsWithNameEqualTo(name, 1);
		assertThat(this.registry).forAllObservationsWithNameEqualTo(name, check::accept);
	}

	private void ended(String name) {
		Awaitility.await()
			.untilAsserted(() -> assertThat(this.registry).hasObservationWithNameEqualTo(name).that().hasBeenStopped());
	}

	private LockService service(LockObservations observations) {
		LockOptions defaults = new LockOptions("pay", "local", Duration.ofMinutes(1), Duration.ofSeconds(10),
				Duration.ZERO, LockOptions.UNLIMITED);
		return new LockService(new ServiceSettings(defaults, OnLost.THROW, 63, Duration.ofSeconds(20)),
				List.of(this.store), Member.of("test"), MonotonicClock.SYSTEM, List.of(observations),
				ReleaseTiming.IMMEDIATE);
	}

}
