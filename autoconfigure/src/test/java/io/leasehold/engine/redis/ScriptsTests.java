package io.leasehold.engine.redis;

import java.lang.reflect.Field;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.leasehold.LockKey;
import io.leasehold.engine.Access;
import io.leasehold.engine.redis.connection.Script;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * Tests for the form of the scripts. Managed services check it before they run a script.
 */
class ScriptsTests {

	private static final RedisKeys KEYS = RedisKeys.of("ns", new LockKey("k"));

	private static final RedisKeys OTHER_KEYS = RedisKeys.of("ns", new LockKey("other"));

	/** Scripts without messages, with the keys that requests pass. */
	static Stream<Arguments> scripts() {
		return Stream.of(argumentSet("acquire-free", Scripts.ACQUIRE_FREE, KEYS.ofFree()),
				argumentSet("release-sole", Scripts.RELEASE_SOLE, KEYS.ofExclusive()),
				argumentSet("renew", Scripts.RENEW, keysOf(Access.SHARED)),
				argumentSet("inspect", Scripts.INSPECT, KEYS.all()),
				argumentSet("acquire", Scripts.ACQUIRE.returning(), KEYS.all()),
				argumentSet("close", Scripts.CLOSE.returning(), KEYS.all()),
				argumentSet("force", Scripts.FORCE.returning(), KEYS.all()),
				argumentSet("kept", Scripts.KEPT.returning(), KEYS.all()));
	}

	static Stream<Arguments> notifyingScripts() {
		return Stream.of(argumentSet("acquire", Scripts.ACQUIRE), argumentSet("close", Scripts.CLOSE),
				argumentSet("force", Scripts.FORCE), argumentSet("kept", Scripts.KEPT));
	}

	/** A new script has to be added to the lists of this class. */
	@Test
	void allScriptsAreChecked() throws IllegalAccessException {
		Set<Object> checked = Stream.of(scripts(), notifyingScripts(), Stream.of(arguments(Scripts.RENEW_EACH)))
			.flatMap((scripts) -> scripts.map((script) -> script.get()[0]))
			.collect(Collectors.toSet());
		Set<Object> all = new HashSet<>();
		for (Field constant : Scripts.class.getDeclaredFields()) {
			if (constant.getType() == NotifyingScript.class) {
				all.add(((NotifyingScript<?>) constant.get(null)).returning());
			}
			if (constant.getType() == NotifyingScript.class || constant.getType() == Script.class) {
				all.add(constant.get(null));
			}
		}
		assertThat(checked).isEqualTo(all);
	}

	@ParameterizedTest
	@MethodSource("scripts")
	void tairAcceptsTheFormWithoutMessages(Script<?> script, String[] keys) {
		assertThat(ScriptRules.rejectionByTair(script.text())).isNull();
		assertThat(ScriptRules.rejectionByTair(List.of(keys))).isNull();
	}

	@ParameterizedTest
	@MethodSource("scripts")
	void dragonflyAcceptsAllForms(Script<?> script, String[] keys) {
		assertThat(ScriptRules.rejectionByDragonfly(script.text(), keys.length)).isNull();
	}

	@ParameterizedTest
	@MethodSource("scripts")
	void serverlessElastiCacheAcceptsAllForms(Script<?> script, String[] keys) {
		assertThat(ScriptRules.rejectionByServerless(script.text(), keys.length)).isNull();
		assertThat(ScriptRules.rejectionByServerless(List.of(keys))).isNull();
	}

	/** Serverless ElastiCache rejects the message only, which the script expects. */
	@ParameterizedTest
	@MethodSource("notifyingScripts")
	void otherFormDiffersByTheMessagesOnly(NotifyingScript<?> script) {
		String publishing = script.publishing().text();
		assertThat(ScriptRules.rejectionByTair(publishing)).contains("pub/sub");
		assertThat(ScriptRules.rejectionByDragonfly(publishing, KEYS.all().length)).isNull();
		assertThat(ScriptRules.rejectionByServerless(publishing, KEYS.all().length)).isNull();
		assertThat(ScriptText.of(publishing).calls())
			.hasSize(ScriptText.of(script.returning().text()).calls().size() + 1);
	}

	/** The access of the claim decides which branch of the script runs. */
	@Test
	void renewalOfAnExclusiveGrantUsesItsOnlyKey() {
		String exclusive = Scripts.RENEW.text().replaceFirst("(?s)\nelse\n.*?\nend\n", "\nend\n");
		assertThat(exclusive).contains("'PEXPIRE'").doesNotContain("'ZADD'");
		assertThat(ScriptText.of(exclusive).greatestKey()).isEqualTo(keysOf(Access.EXCLUSIVE).length);
	}

	/** Renewed one by one by services that reject this form. */
	@Test
	void scriptForManyRenewalsComputesTheNumbersOfItsKeys() {
		assertThat(ScriptRules.rejectionByTair(Scripts.RENEW_EACH.text())).contains("KEYS should not be in expression");
		assertThat(ScriptRules.rejectionByServerless(List.of(KEYS.lock(), OTHER_KEYS.lock()))).contains("CROSSSLOT");
		assertThat(ScriptRules.rejectionByDragonfly(Scripts.RENEW_EACH.text(), keysOf(Access.SHARED).length)).isNull();
	}

	private static String[] keysOf(Access access) {
		return KEYS.ofGrant(access).toArray(String[]::new);
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
	void rulesRejectMessagesThatEndAScript() {
		assertThat(ScriptRules.rejectionByServerless("redis.call('PUBLISH', ARGV[1], '')", 1)).contains("same slot");
		assertThat(ScriptRules.rejectionByServerless("redis.pcall('PUBLISH', ARGV[1], '')", 1)).isNull();
		assertThat(ScriptRules.rejectionByServerless("redis.call('GET', KEYS[2])", 1)).contains("non local key");
	}

	@Test
	void rulesRejectUndeclaredKeysAndOldFunctions() {
		assertThat(ScriptRules.rejectionByDragonfly("redis.call('GET', KEYS[2])", 1)).contains("undeclared");
		assertThat(ScriptRules.rejectionByDragonfly("redis.call('GET', KEYS[1] .. 'x')", 1)).contains("undeclared");
		assertThat(ScriptRules.rejectionByDragonfly("return table.getn(KEYS)", 1)).contains("getn");
	}

}
