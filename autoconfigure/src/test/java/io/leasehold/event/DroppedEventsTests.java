package io.leasehold.event;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

@ExtendWith(OutputCaptureExtension.class)
class DroppedEventsTests {

	private final AtomicLong now = new AtomicLong();

	private final DroppedEvents dropped = new DroppedEvents("leasehold-redis-event", this.now::get);

	@Test
	void firstDropIsLoggedAtOnceAndTheRestOnceAMinute(CapturedOutput output) {
		drop("LeaseRenewed", 1000, Duration.ZERO);
		assertThat(output).containsOnlyOnce("were dropped").contains("1 LeaseRenewed").contains("500 were waiting");
		drop("HoldSlow", 7, Duration.ZERO);
		this.now.addAndGet(Duration.ofSeconds(61).toNanos());
		drop("LeaseRenewed", 1000, Duration.ZERO);
		assertThat(output.toString().split("were dropped")).hasSize(3);
		assertThat(output).contains("7 HoldSlow, 1000 LeaseRenewed");
		assertThat(this.dropped.count()).isEqualTo(2007);
	}

	@Test
	void listenerThatBlocksIsTheReason(CapturedOutput output) {
		drop("LeaseRenewed", 1, Duration.ofMillis(12_340));
		assertThat(output).contains("a listener has been blocking the thread 'leasehold-redis-event' for 12 s");
	}

	@Test
	void listenersThatDoNotBlockAreNotBlamed(CapturedOutput output) {
		drop("LeaseRenewed", 1, Duration.ofMillis(3));
		assertThat(output).contains("faster than the thread 'leasehold-redis-event'").doesNotContain("blocking");
	}

	private void drop(String event, int times, Duration busyFor) {
		for (int i = 0; i < times; i++) {
			this.dropped.drop(event, 500, busyFor);
		}
	}

}
