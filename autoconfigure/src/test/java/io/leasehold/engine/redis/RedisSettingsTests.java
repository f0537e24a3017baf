package io.leasehold.engine.redis;

import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class RedisSettingsTests {

	@ParameterizedTest
	@CsvSource({ "0s, 5s, 1s, 1s, 5s, 60s, 7d, leasehold.redis.poll-interval must be at least 1ms",
			"2s, -5s, 1s, 1s, 5s, 60s, 7d, leasehold.redis.grant-lease must be at least 1ms",
			"2s, 5s, 4000d, 1s, 5s, 60s, 7d, leasehold.redis.command-timeout must be at least 1ms",
			"2s, 5s, 1s, 1s, 5s, 60s, 0s, leasehold.fencing.retention must be at least 1ms",
			"2s, 3s, 1s, 1s, 5s, 60s, 7d, leasehold.redis.grant-lease must be longer than poll-interval plus",
			"2s, 5s, 1s, 999ms, 5s, 60s, 7d, leasehold.redis.min-validity must be longer than or equal to",
			"1s, 9s, 3s, 3s, 5s, 60s, 7d, leasehold.redis.poll-interval must be longer than half the command-timeout",
			"2s, 5s, 1s, 1s, 900ms, 60s, 7d, leasehold.redis.silence-timeout must be longer than or equal to",
			"2s, 5s, 1s, 1s, 60s, 60s, 7d, leasehold.redis.marker-lifetime must be longer than silence-timeout" })
	void figuresThatDoNotFitTogetherAreRefused(String poll, String grant, String command, String validity,
			String silence, String marker, String retention, String message) {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> new RedisSettings("ns", duration(poll), duration(grant), duration(command),
					duration(validity), duration(silence), duration(marker), duration(retention), 0))
			.withMessageStartingWith(message);
	}

	@Test
	void blankNamespaceIsRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> RedisEngines.settings(" "))
			.withMessage("leasehold.namespace must not be blank");
	}

	@Test
	void numberOfReplicasIsNotNegative() {
		RedisSettings some = RedisEngines.settings("ns");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> new RedisSettings("ns", some.pollInterval(), some.grantLease(), some.commandTimeout(),
					some.minValidity(), some.silenceTimeout(), some.markerLifetime(), some.fencingRetention(), -1))
			.withMessage("leasehold.redis.replicas-to-wait must not be negative, but is -1");
	}

	@Test
	void defaultsOfTheProtocolFitTogether() {
		RedisSettings settings = new RedisSettings("ns", duration("2s"), duration("5s"), duration("1s"), duration("1s"),
				duration("5s"), duration("60s"), duration("7d"), 0);
		assertThat(settings.queueLifetime()).isEqualTo(duration("8s"));
	}

	@ParameterizedTest
	@CsvSource({ "2ms, 1ms", "3650d, 3650d" })
	void limitsAreAccepted(String marker, String retention) {
		Duration shortest = duration("1ms");
		RedisSettings settings = new RedisSettings("ns", shortest, duration("3ms"), shortest, shortest, shortest,
				duration(marker), duration(retention), 0);
		assertThat(settings.fencingRetention()).isEqualTo(duration(retention));
	}

	@Test
	void grantLeaseNeverExceedsTheLease() {
		RedisSettings settings = RedisEngines.settings("ns");
		assertThat(settings.grantLease(settings.grantLease().plusMillis(1))).isEqualTo(settings.grantLease());
		assertThat(settings.grantLease(Duration.ofMillis(10))).isEqualTo(Duration.ofMillis(10));
	}

	@Test
	void claimsWithAShortGrantLeasePollMoreOften() {
		RedisSettings settings = RedisEngines.settings("ns");
		assertThat(settings.pollInterval(Duration.ofMillis(30))).isEqualTo(Duration.ofMillis(10));
		assertThat(settings.pollInterval(Duration.ofHours(1))).isEqualTo(settings.pollInterval());
	}

	private static Duration duration(String text) {
		return Duration.parse(text.endsWith("ms") ? "PT" + millis(text)
				: text.endsWith("d") ? "P" + text.toUpperCase() : "PT" + text.toUpperCase());
	}

	private static String millis(String text) {
		return Double.parseDouble(text.replace("ms", "")) / 1000 + "S";
	}

}
