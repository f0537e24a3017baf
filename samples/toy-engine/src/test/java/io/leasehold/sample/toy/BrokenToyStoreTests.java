package io.leasehold.sample.toy;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import io.leasehold.LockKey;
import org.junit.jupiter.api.Test;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The contract turns red on stores with a bug.
 */
class BrokenToyStoreTests {

	@Test
	void ownerThatTakesAnybodysKeyIsFound() {
		assertThat(failuresOf(TakesAnybodysKey.class, "freeKeyIsGrantedAndThenBusyForOthers",
				"historyOfTwoProcessesIsTrue", "releaseMayBeRepeated"))
			.containsExactlyInAnyOrder("freeKeyIsGrantedAndThenBusyForOthers()", "historyOfTwoProcessesIsTrue()");
	}

	@Test
	void ownerThatFreesAnybodysKeyIsFound() {
		assertThat(failuresOf(FreesAnybodysKey.class, "freeKeyIsGrantedAndThenBusyForOthers",
				"formerHolderDoesNotTouchItsSuccessor", "releaseMayBeRepeated"))
			.containsExactlyInAnyOrder("formerHolderDoesNotTouchItsSuccessor()", "releaseMayBeRepeated()");
	}

	private static List<String> failuresOf(Class<?> contract, String... tests) {
		LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
			.selectors(Stream.of(tests).map((test) -> DiscoverySelectors.selectMethod(contract, test)).toList())
			.build();
		SummaryGeneratingListener summary = new SummaryGeneratingListener();
		LauncherFactory.create().execute(request, summary);
		assertThat(summary.getSummary().getTestsFoundCount()).isEqualTo(tests.length);
		return summary.getSummary()
			.getFailures()
			.stream()
			.map((failure) -> failure.getTestIdentifier().getDisplayName())
			.toList();
	}

	/** Not found by the build, which would fail. */
	static class TakesAnybodysKey extends ToyLockEngineTests {

		@Override
		ToyStore newStore() {
			return new ToyStore() {

				@Override
				Entry take(LockKey key, String owner, Duration lease) {
					Entry found = super.take(key, owner, lease);
					return new Entry(owner, found.number(), found.since(), found.until());
				}

			};
		}

	}

	/** Not found by the build, which would fail. */
	static class FreesAnybodysKey extends ToyLockEngineTests {

		@Override
		ToyStore newStore() {
			return new ToyStore() {

				@Override
				boolean free(LockKey key, String owner) {
					return free(key) != null;
				}

			};
		}

	}

}
