package io.leasehold.key;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import io.leasehold.test.contract.JvmProcess;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Methods of values, called in a key: the key is the same in two JVMs with other time
 * zones, languages and hash codes, or the call is rejected.
 */
class MethodsInKeysTests {

	@Test
	void keyWithAMethodIsTheSameInEveryProcessOrRefused() {
		try (JvmProcess one = start("Etc/GMT+12", "en", "US", 5);
				JvmProcess two = start("Pacific/Kiritimati", "tr", "TR", 0)) {
			Set<String> keys = keysOf(one);
			Set<String> others = keysOf(two);
			assertThat(keys).hasSizeGreaterThan(100);
			assertThat(keys.stream().filter((key) -> !others.contains(key))).isEmpty();
		}
	}

	private static Set<String> keysOf(JvmProcess process) {
		Set<String> keys = new LinkedHashSet<>();
		for (String key = process.expect("="); !key.equals("end"); key = process.expect("=")) {
			keys.add(key);
		}
		return keys;
	}

	private static JvmProcess start(String zone, String language, String country, int hashes) {
		return JvmProcess.start(MethodsInKeysProcess.class, List.of(),
				KeyCatalogueProcess.options(zone, language, country, hashes));
	}

}
