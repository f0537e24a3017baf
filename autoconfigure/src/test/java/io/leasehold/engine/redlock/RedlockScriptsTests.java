package io.leasehold.engine.redlock;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;

import io.leasehold.LockKey;
import io.leasehold.engine.redis.ScriptRules;
import io.leasehold.engine.redis.connection.Script;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Managed services that cannot run the scripts, which have no other form.
 */
class RedlockScriptsTests {

	@Test
	void tairRejectsAllScripts() throws IllegalAccessException {
		List<Script<?>> scripts = new ArrayList<>();
		for (Field constant : Scripts.class.getDeclaredFields()) {
			if (constant.getType() == Script.class) {
				scripts.add((Script<?>) constant.get(null));
			}
		}
		assertThat(scripts).isNotEmpty().allMatch((script) -> ScriptRules.rejectionByTair(script.text()) != null);
	}

	@Test
	void serverlessElastiCacheRejectsTheKeysOfAClaim() {
		List<String> keys = List.of(LockNames.of("ns", new LockKey("{a}")).of("token"));
		assertThat(ScriptRules.rejectionByServerless(keys)).contains("CROSSSLOT");
	}

}
