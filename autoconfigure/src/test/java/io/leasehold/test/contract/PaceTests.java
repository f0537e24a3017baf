package io.leasehold.test.contract;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

class PaceTests {

	private static final Duration SECOND = Duration.ofSeconds(1);

	@Test
	void slackIsNotStretchedOnAMachineThatIsIdle() {
		assertThat(Pace.stretched(SECOND, 0.9)).isEqualTo(SECOND);
		assertThat(Pace.stretched(SECOND, 1.5)).isEqualTo(SECOND);
		assertThat(Pace.stretched(SECOND, 4)).isEqualTo(SECOND.multipliedBy(4));
	}

	@Test
	void slackGrowsWhileOthersUseTheProcessors() {
		List<Thread> others = new ArrayList<>();
		Pace pace = Pace.begin();
		try {
			for (int i = 0; i < 12 * Runtime.getRuntime().availableProcessors(); i++) {
				Thread other = new Thread(PaceTests::spin);
				other.setDaemon(true);
				other.start();
				others.add(other);
			}
			await().atMost(Duration.ofSeconds(30)).until(() -> pace.slack(SECOND).compareTo(SECOND) > 0);
			assertThat(pace.elapsed()).isPositive();
		}
		finally {
			others.forEach(Thread::interrupt);
		}
	}

	private static void spin() {
		while (!Thread.currentThread().isInterrupted()) {
			Thread.onSpinWait();
		}
	}

}
