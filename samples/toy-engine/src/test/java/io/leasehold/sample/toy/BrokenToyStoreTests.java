package io.leasehold.sample.toy;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The contract of stores fails on stores with a bug.
 */
class BrokenToyStoreTests {

	@Test
	void storeThatReplacesAnythingIsFound() {
		assertThat(failuresOf(ReplacesAnything.class, "entryIsReplacedOnlyAsItWasRead", "absentEntryIsNotReplaced",
				"longValueIsKept"))
			.containsExactly("entryIsReplacedOnlyAsItWasRead()");
	}

	@Test
	void storeThatCreatesOverAnEntryIsFound() {
		assertThat(failuresOf(CreatesOverAnEntry.class, "entryIsCreatedOnceAndReadByAll", "longValueIsKept"))
			.containsExactly("entryIsCreatedOnceAndReadByAll()");
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
	static class ReplacesAnything extends ToyStoreTests {

		@Override
		ToyStore newStore() {
			return new ToyStore() {

				@Override
				public synchronized boolean replace(String key, Entry expected, String value, Duration timeToLive) {
					Entry present = read(key);
					return present != null && super.replace(key, present, value, timeToLive);
				}

			};
		}

	}

	/** Not found by the build, which would fail. */
	static class CreatesOverAnEntry extends ToyStoreTests {

		@Override
		ToyStore newStore() {
			return new ToyStore() {

				@Override
				public synchronized boolean create(String key, String value, Duration timeToLive) {
					lose(key);
					return super.create(key, value, timeToLive);
				}

			};
		}

	}

}
