package io.leasehold.autoconfigure.zookeeper;

import java.util.List;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.leasehold.annotation.DistributedLock;
import io.leasehold.autoconfigure.Leasehold;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.slf4j.LoggerFactory;

import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What startup says of leases that end later than they seem to after a crash.
 */
@ExtendWith(OutputCaptureExtension.class)
class SessionTimeoutMessageTests {

	private static final Logger LOGGER = (Logger) LoggerFactory.getLogger("io.leasehold.interceptor");

	private final ApplicationContextRunner runner = Leasehold.runner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class))
		.withPropertyValues("leasehold.zookeeper.connect-string=127.0.0.1:1")
		.withBean(Orders.class);

	@BeforeEach
	void showInfo() {
		LOGGER.setLevel(Level.INFO);
	}

	@AfterEach
	void resetLevel() {
		LOGGER.setLevel(null);
	}

	@Test
	void leaseThatTheSessionOutlivesIsNamedOncePerMethod(CapturedOutput output) {
		this.runner.run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(messages(output)).singleElement()
				.asString()
				.contains("Orders.brief has lease PT10S, but if its process dies, the key stays locked for the session "
						+ "timeout of its engine, PT40S");
		});
	}

	@Test
	void leasesOfTheLengthOfTheSessionAreNotMentioned(CapturedOutput output) {
		this.runner.withPropertyValues("leasehold.zookeeper.session-timeout=12s").run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(messages(output)).isEmpty();
		});
	}

	private static List<String> messages(CapturedOutput output) {
		return output.getAll().lines().filter((line) -> line.contains("session timeout")).toList();
	}

	static class Orders {

		@DistributedLock(key = "'brief'", lease = "10s")
		public void brief() {
		}

		@DistributedLock(key = "'usual'")
		public void usual() {
		}

		@DistributedLock(key = "'lasting'", lease = "10m")
		public void lasting() {
		}

	}

}
