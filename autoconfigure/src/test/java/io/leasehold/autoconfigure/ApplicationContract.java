package io.leasehold.autoconfigure;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;

import io.leasehold.HeldLock;
import io.leasehold.LockBusyException;
import io.leasehold.LockLostException;
import io.leasehold.LossCause;
import io.leasehold.test.contract.Fault;
import io.leasehold.test.contract.Parallel;
import io.micrometer.core.instrument.Tag;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What applications can rely on, whatever their engine: one short subclass for each. Two
 * applications run beside each other, as in two processes.
 */
public abstract class ApplicationContract extends ApplicationLifeContract {

	private static final int ROUNDS = 200;

	private RunningApplication here;

	@BeforeAll
	void startHere() {
		this.here = start();
	}

	@AfterAll
	void closeHere() {
		this.here.close();
	}

	/**
	 * A lock that is free before the commit lets others read the old state, and updates
	 * get lost: none of some hundreds does.
	 */
	@Test
	@Fault(81)
	void nextOwnerAlwaysSeesWhatWasCommitted() throws Exception {
		this.here.orders().create("transactional");
		List<Callable<Void>> runs = new ArrayList<>();
		for (RunningApplication application : List.of(this.here, this.other, this.here, this.other)) {
			runs.add(() -> {
				for (int i = 0; i < ROUNDS / 4; i++) {
					application.orders().addItem("transactional");
				}
				return null;
			});
		}
		Parallel.run(runs);
		assertThat(this.here.orders().items("transactional")).isEqualTo(ROUNDS);
	}

	/**
	 * Whatever a method throws, errors too: its caller gets that, a lost lock does not
	 * hide it, and the next owner gets the lock.
	 */
	@Test
	@Fault(82)
	void failureOfTheBodyIsThrownUnchangedAndTheLockGivenBack() {
		for (Throwable failure : List.of(new IllegalStateException("no"), new IOException("no"),
				new StackOverflowError("no"), new OutOfMemoryError("no"))) {
			assertThatExceptionOfType(Throwable.class).isThrownBy(() -> fail(failure)).isSameAs(failure);
			assertThat(failure.getSuppressed()).isEmpty();
			assertThat(this.other.findsFree(KEY)).isTrue();
		}
		Error failure = new OutOfMemoryError("no");
		assertThatExceptionOfType(Error.class).isThrownBy(() -> this.here.orders().call(KEY, () -> {
			this.other.takeAway(KEY);
			throw failure;
		})).isSameAs(failure);
		assertThat(failure.getSuppressed()).singleElement().isInstanceOf(LockLostException.class);
	}

	private void fail(Throwable failure) throws Exception {
		this.here.orders().call(KEY, () -> {
			if (failure instanceof Error error) {
				throw error;
			}
			throw (Exception) failure;
		});
	}

	/**
	 * A method ends well under a lock that was lost meanwhile: that is an exception, or,
	 * where the application wants the result all the same, an event.
	 */
	@Test
	@Fault(83)
	void resultOfALostLockIsNotReturnedInSilence() throws Exception {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.here.orders().call("lost", () -> {
			this.other.takeAway("lost");
			return "done";
		})).withMessageContaining("'lost'");
		assertThat(this.other.orders().call("lost", () -> {
			this.here.takeAway("lost");
			return "done";
		})).isEqualTo("done");
		for (RunningApplication loser : List.of(this.here, this.other)) {
			eventually().until(() -> loser.losses().stream().anyMatch((event) -> event.key().equals("lost")));
		}
	}

	/**
	 * A result that ends after its method has returned would go on without a lock that
	 * was released then: it is held until the end.
	 */
	@Test
	@Fault(85)
	void lockIsHeldUntilALateResultEnds() throws Exception {
		LockedApplication.Orders orders = this.here.orders();
		Map<String, BiFunction<String, CompletableFuture<String>, CompletableFuture<String>>> kinds = new LinkedHashMap<>();
		kinds.put("stage", orders::stage);
		kinds.put("async", orders::async);
		kinds.put("mono", (key, body) -> orders.mono(key, body).toFuture());
		kinds.put("flux", (key, body) -> orders.flux(key, body).last().toFuture());
		CompletableFuture<String> body = new CompletableFuture<>();
		List<CompletableFuture<String>> results = new ArrayList<>();
		List<Callable<Void>> others = new ArrayList<>();
		kinds.forEach((kind, method) -> {
			results.add(method.apply(kind, body));
			others.add(() -> {
				eventually().until(() -> this.other.owners(kind) == 1);
				assertThat(this.other.findsFree(kind)).as(kind).isFalse();
				return null;
			});
		});
		Parallel.run(others);
		assertThat(results).noneMatch(CompletableFuture::isDone);
		body.complete("done");
		for (CompletableFuture<String> result : results) {
			assertThat(result.get(1, TimeUnit.MINUTES)).isEqualTo("done");
		}
		for (String kind : kinds.keySet()) {
			eventually().until(() -> this.other.findsFree(kind));
		}
	}

	/**
	 * A caller cancels a result whose body goes on: the lock is lost, nobody gets in
	 * beside the body, and the key is available when that has ended, not when the lease
	 * has.
	 */
	@Test
	@Fault(121)
	void cancelledStageKeepsItsKeyUntilItsBodyHasEnded() throws Exception {
		try (RunningApplication patient = start("leasehold.lease=10m")) {
			CompletableFuture<String> body = new CompletableFuture<>();
			CompletableFuture<String> result = patient.orders().stage("cancelled", body);
			// The store may know the owner before the body has begun
			eventually().until(() -> body.getNumberOfDependents() == 1);
			assertThat(this.other.owners("cancelled")).isOne();
			result.cancel(true);
			eventually().until(() -> patient.losses()
				.stream()
				.anyMatch((event) -> event.key().equals("cancelled") && event.cause() == LossCause.CANCELLED));
			assertThat(this.other.findsFree("cancelled")).isFalse();
			assertThat(patient.findsFree("cancelled")).isFalse();
			body.complete("done");
			eventually().until(() -> this.other.findsFree("cancelled"));
		}
	}

	/**
	 * A method that calls another under the same key does not wait for itself, and keeps
	 * its one lock when the inner one ends, well or not, and whatever lease that asks
	 * for.
	 */
	@Test
	@Fault(86)
	void nestedCallReentersAndOnlyTheOutermostReleases() throws Exception {
		LockedApplication.Orders orders = this.here.orders();
		orders.call(KEY, () -> {
			HeldLock outer = HeldLock.current();
			long token = orders.callSoon(KEY, () -> orders.call(KEY, () -> {
				assertThat(this.other.owners(KEY)).isOne();
				return HeldLock.current().fencingToken();
			}));
			assertThat(token).isEqualTo(outer.fencingToken());
			assertThatExceptionOfType(IOException.class).isThrownBy(() -> orders.callSoon(KEY, () -> {
				throw new IOException("no");
			}));
			assertThat(outer.isValid()).isTrue();
			assertThat(this.other.findsFree(KEY)).isFalse();
			return null;
		});
		assertThat(this.other.findsFree(KEY)).isTrue();
	}

	/**
	 * Two methods take two keys in opposite orders: both end by their wait time and leave
	 * nothing.
	 */
	@Test
	@Fault(87)
	void oppositeOrdersEndByTheirWaitTime() throws Exception {
		CyclicBarrier both = new CyclicBarrier(2);
		Parallel.run(List.of(() -> takeBoth(this.here, "a", "b", both), () -> takeBoth(this.other, "b", "a", both)));
		for (String key : List.of("a", "b")) {
			eventually().until(() -> this.here.owners(key) == 0);
		}
	}

	private static Void takeBoth(RunningApplication application, String first, String second, CyclicBarrier both)
			throws Exception {
		return application.orders().call(first, () -> {
			both.await();
			assertThatExceptionOfType(LockBusyException.class)
				.isThrownBy(() -> application.orders().callSoon(second, () -> "ran"));
			both.await();
			return null;
		});
	}

	/**
	 * One method names the same keys in different orders: they are taken in one order, so
	 * that no caller waits for another that waits for it.
	 */
	@Test
	@Fault(87)
	void severalKeysAreTakenInOneOrder() throws Exception {
		Parallel.run(List.of(() -> takeTogether(this.here, List.of("c", "d")),
				() -> takeTogether(this.other, List.of("d", "c"))));
		eventually().until(() -> this.here.owners("c") + this.here.owners("d") == 0);
	}

	private static Void takeTogether(RunningApplication application, List<String> keys) throws Exception {
		for (int i = 0; i < 25; i++) {
			assertThat(application.orders().callTogether(keys, () -> HeldLock.current().isValid())).isTrue();
		}
		return null;
	}

	/**
	 * Locks are had, waited for, given up and lost in great number: gauges come back to
	 * zero, and no tag has a key.
	 */
	@Test
	@Fault(93)
	void metersAreBoundedAndComeBackToZero() throws Exception {
		List<Callable<Void>> runs = new ArrayList<>();
		for (RunningApplication application : List.of(this.here, this.other, this.here, this.other)) {
			runs.add(() -> {
				for (int i = 0; i < 20; i++) {
					churn(application, "secret-" + i % 3, i % 4);
				}
				return null;
			});
		}
		Parallel.run(runs);
		for (RunningApplication application : List.of(this.here, this.other)) {
			assertThat(application.calls("acquired")).isGreaterThan(10);
			for (String gauge : List.of("leasehold.held", "leasehold.waiting")) {
				eventually().untilAsserted(() -> assertThat(application.gauge(gauge)).as(gauge).isZero());
			}
			assertThat(application.meters().getMeters()).flatExtracting((meter) -> meter.getId().getTags())
				.extracting(Tag::getValue)
				.noneMatch((value) -> value.contains("secret-"));
		}
	}

	private void churn(RunningApplication application, String key, int kind) throws Exception {
		try {
			application.orders().callSoon(key, () -> {
				if (kind == 0) {
					application.takeAway(key);
				}
				if (kind == 1) {
					throw new IOException("no");
				}
				return application.orders().call(key, () -> "re-entered");
			});
		}
		catch (LockBusyException | LockLostException | IOException ex) {
			// what is meant to happen
		}
	}

}
