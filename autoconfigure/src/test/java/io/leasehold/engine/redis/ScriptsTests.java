package io.leasehold.engine.redis;

import java.util.stream.Stream;

import io.leasehold.engine.redis.connection.Script;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

/**
 * Tests for the form of the scripts. Managed services check it before they run a script.
 */
class ScriptsTests {

	/** Scripts that do not publish, with the number of keys that requests pass. */
	static Stream<Arguments> scripts() {
		return Stream.of(argumentSet("acquire-free", Scripts.ACQUIRE_FREE, 2),
				argumentSet("release-sole", Scripts.RELEASE_SOLE, 1), argumentSet("renew exclusive", Scripts.RENEW, 3),
				argumentSet("inspect", Scripts.INSPECT, 6), argumentSet("acquire", Scripts.ACQUIRE.returning(), 6),
				argumentSet("close", Scripts.CLOSE.returning(), 6), argumentSet("force", Scripts.FORCE.returning(), 6));
	}

	static Stream<Arguments> publishingScripts() {
		return Stream.of(argumentSet("acquire", Scripts.ACQUIRE), argumentSet("close", Scripts.CLOSE),
				argumentSet("force", Scripts.FORCE));
	}

	@ParameterizedTest
	@MethodSource("scripts")
	void tairAcceptsTheFormWithoutMessages(Script<?> script, int keys) {
		assertThat(ScriptRules.rejectionByTair(script.text())).isNull();
	}

	@ParameterizedTest
	@MethodSource("scripts")
	void dragonflyAcceptsAllForms(Script<?> script, int keys) {
		assertThat(ScriptRules.rejectionByDragonfly(script.text(), keys)).isNull();
	}

	/** Serverless ElastiCache rejects the message only, which the script expects. */
	@ParameterizedTest
	@MethodSource("publishingScripts")
	void otherFormDiffersByTheMessagesOnly(NotifyingScript<?> script) {
		String publishing = script.publishing().text();
		assertThat(ScriptRules.rejectionByTair(publishing)).contains("pub/sub");
		assertThat(ScriptRules.rejectionByDragonfly(publishing, 6)).isNull();
		assertThat(publishing).contains("redis.pcall('PUBLISH'").doesNotContain("redis.call('PUBLISH'");
		assertThat(ScriptText.of(publishing).calls())
			.hasSize(ScriptText.of(script.returning().text()).calls().size() + 1);
	}

	/** Renewed one by one by services that reject this form. */
	@Test
	void scriptForManyRenewalsComputesTheNumbersOfItsKeys() {
		assertThat(ScriptRules.rejectionByTair(Scripts.RENEW_EACH.text())).contains("KEYS should not be in expression");
		assertThat(ScriptRules.rejectionByDragonfly(Scripts.RENEW_EACH.text(), 3)).isNull();
	}

	/** The rules find what they are to find. */
	@ParameterizedTest
	@MethodSource("rejectedTexts")
	void rulesRejectOtherForms(String text, String byTair) {
		assertThat(ScriptRules.rejectionByTair(text)).contains(byTair);
	}

	static Stream<Arguments> rejectedTexts() {
		return Stream.of(argumentSet("variable", "local k = KEYS[1] return redis.call('GET', k)", "KEYS array"),
				argumentSet("computed", "return redis.call('GET', KEYS[1] .. ':x')", "KEYS array"),
				argumentSet("index", "return redis.call('GET', KEYS[i])", "KEYS array"),
				argumentSet("second key", "return redis.call('MGET', KEYS[1], ARGV[1])", "KEYS array"),
				argumentSet("unpack", "return redis.call('GET', KEYS[1], unpack(ARGV))", "unpack"),
				argumentSet("message", "redis.pcall('PUBLISH', ARGV[1], '')", "pub/sub"),
				argumentSet("other name", "local call = redis.call call('GET', KEYS[1])", "literal string"),
				argumentSet("command", "redis.call(ARGV[1], KEYS[1])", "literal string"));
	}

	@Test
	void rulesRejectUndeclaredKeysAndOldFunctions() {
		assertThat(ScriptRules.rejectionByDragonfly("redis.call('GET', KEYS[2])", 1)).contains("undeclared");
		assertThat(ScriptRules.rejectionByDragonfly("redis.call('GET', KEYS[1] .. 'x')", 1)).contains("undeclared");
		assertThat(ScriptRules.rejectionByDragonfly("return table.getn(KEYS)", 1)).contains("getn");
	}

}
