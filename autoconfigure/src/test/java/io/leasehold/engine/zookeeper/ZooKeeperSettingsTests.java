package io.leasehold.engine.zookeeper;

import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class ZooKeeperSettingsTests {

	@Test
	void millisecondIsTheShortestTime() {
		Duration shortest = Duration.ofMillis(1);
		assertThat(new ZooKeeperSettings("shop", "/leasehold", shortest, shortest).pollInterval()).isEqualTo(shortest);
	}

	@ParameterizedTest
	@CsvSource({ "PT0.000999999S, PT1S, call-timeout", "PT0S, PT1S, call-timeout", "PT1S, PT0S, poll-interval",
			"PT1S, PT-1S, poll-interval" })
	void shorterTimeIsRejectedByName(Duration callTimeout, Duration pollInterval, String name) {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> new ZooKeeperSettings("shop", "/leasehold", callTimeout, pollInterval))
			.withMessageStartingWith("leasehold.zookeeper." + name + " (");
	}

	@ParameterizedTest
	@CsvSource({ "' ', /leasehold, leasehold.namespace", "shop, leasehold, leasehold.zookeeper.base-path",
			"shop, /, leasehold.zookeeper.base-path", "shop, /a/, leasehold.zookeeper.base-path",
			"shop, /.., leasehold.zookeeper.base-path" })
	void unusableTextIsRejectedByName(String namespace, String basePath, String name) {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> new ZooKeeperSettings(namespace, basePath, Duration.ofSeconds(1), Duration.ofSeconds(1)))
			.withMessageStartingWith(name + " ");
	}

}
