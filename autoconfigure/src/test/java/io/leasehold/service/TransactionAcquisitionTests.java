package io.leasehold.service;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.leasehold.LockKey;
import io.leasehold.LockOptions;
import io.leasehold.LossCause;
import io.leasehold.event.AcquireOutcome;
import io.leasehold.event.AcquisitionListener;
import io.leasehold.event.LockEvent;
import io.leasehold.event.LockEventListener;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link TransactionAcquisition}.
 */
class TransactionAcquisitionTests {

	private final List<String> news = new ArrayList<>();

	private final TransactionAcquisition acquisition = new TransactionAcquisition("jdbc", new LockOptions("test",
			"jdbc", Duration.ofSeconds(10), Duration.ZERO, Duration.ZERO, LockOptions.UNLIMITED), new LockKey("k"),
			new Events(List.of(new Listener()), null), 40);

	@Test
	void holdBeginsWithTheAcquisitionAndEndsWithTheTransaction() {
		this.acquisition.waitStarted();
		this.acquisition.ended(AcquireOutcome.ACQUIRED, null, 100);
		this.acquisition.released(7);
		assertThat(this.news).containsExactly("waits", "ACQUIRED after 60, waited true", "acquired: ACQUIRED", "hold",
				"held for 7", "end of the hold");
	}

	@ParameterizedTest
	@EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "ACQUIRED")
	void otherOutcomesBeginNoHold(AcquireOutcome outcome) {
		this.acquisition.ended(outcome, null, 41);
		assertThat(this.news).containsExactly(outcome + " after 1, waited false", "acquired: " + outcome);
	}

	private final class Listener implements LockEventListener, AcquisitionListener {

		@Override
		public void onEvent(LockEvent event) {
			if (event instanceof LockEvent.WaitStarted) {
				TransactionAcquisitionTests.this.news.add("waits");
			}
			else if (event instanceof LockEvent.AcquireEnded end) {
				TransactionAcquisitionTests.this.news
					.add("%s after %d, waited %s".formatted(end.outcome(), end.nanos(), end.waited()));
			}
			else if (event instanceof LockEvent.HoldEnded end) {
				TransactionAcquisitionTests.this.news.add("held for " + end.nanos());
			}
		}

		@Override
		public AcquisitionListener follow(String engine, String name, LockKey key) {
			return this;
		}

		@Override
		public void acquireEnded(AcquireOutcome outcome, @Nullable Exception failure) {
			TransactionAcquisitionTests.this.news.add("acquired: " + outcome);
		}

		@Override
		public void holdStarted(long fencingToken) {
			TransactionAcquisitionTests.this.news.add("hold");
		}

		@Override
		public void holdEnded(@Nullable LossCause lossCause) {
			TransactionAcquisitionTests.this.news.add("end of the hold");
		}

	}

}
