package io.leasehold.key;

import java.time.DayOfWeek;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import io.leasehold.LockKeyException;
import io.leasehold.test.contract.JvmProcess;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Methods of values, called in a key: the key is the same in two JVMs with other time
 * zones, languages and hash codes, or the call is rejected.
 */
class MethodsInKeysTests extends KeyExpressionFixture {

	private static final String OWN = "T(" + Shop.class.getName() + ")";

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

	/** A method is not rejected because it has the name of another one. */
	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
			'k:' + OWN.now()                                    | k:noon
			'k:' + OWN.systemDefault()                          | k:noon
			'k:' + OWN.getDefault()                             | k:noon
			'k:' + OWN.toLowerCase()                            | k:noon
			'k:' + OWN.hash(#value)                             | k:7
			'k:' + OWN.hashCode(#value)                         | k:7
			'k:' + @keys.stableHashCode(#value)                 | k:7
			'k:' + @keys.toLowerCase()                          | k:keys
			'k:' + T(java.lang.Long).hashCode(5)                | k:5
			'k:' + T(Integer).hashCode(5)                       | k:5
			'k:' + #value.hashCode() % 16                       | k:0
			'k:' + #value.trim().hashCode() % 16                | k:0
			'k:' + #target.region.hashCode() % 16               | k:0
			'k:' + #target.several[0].hashCode()                | k:97
			#target.several.!['k:' + hashCode()]                | k:97,k:98
			#target.several.!['k:' + #this.hashCode()]          | k:97,k:98
			(#value.hashCode() > 0) ? 'k:a' : 'k:b'             | k:a
			(#value + 'x') == 'eux' ? 'k:a' : 'k:b'             | k:a
			'k:' + T(java.time.Instant).now().epochSecond / 9999999999L | k:0
			'k:' + T(java.time.LocalDate).now(T(java.time.ZoneOffset).UTC).year / 10000 | k:0
			#target.several.!['k:' + toUpperCase(T(java.util.Locale).ROOT)] | k:A,k:B
			'k:' + T(java.nio.file.FileSystems).getDefault().separator.length() | k:1
			""")
	void deterministicMethodIsAccepted(String expression, String keys) {
		assertThat(String.join(",", keys("object", expression.replace("OWN", OWN), "eu"))).isEqualTo(keys);
	}

	@ParameterizedTest
	@ValueSource(strings = { "#target.several.![toLowerCase()]", "#target.several.?[toUpperCase() == 'A'].![#this]",
			"#target.region.toLowerCase() == 'eu' ? 'a' : 'b'", "'k:' + #value?.toLowerCase()",
			"T(java.time.LocalTime).now().hour > 12 ? 'pm' : 'am'", "'k:' + T(java.time.ZoneId).systemDefault()",
			"'k:' + T(java.util.Locale).getDefault()", "'k:' + @keys.of(T(java.time.LocalDate).now())",
			"'k:' + T(java.util.Objects).hash(#value, 1)", "'k:' + T(java.util.Arrays).deepHashCode(#root.args)",
			"'k:' + T(System).identityHashCode(#value)", "'k:' + T(java.lang.System).identityHashCode(#value)",
			"T(java.util.Objects).hashCode(#value) > 0 ? 'a' : 'b'", "'k:' + T(String).hashCode()" })
	void methodThatDependsOnTheProcessFailsStartup(String expression) {
		assertThatExceptionOfType(InvalidKeyExpressionException.class).isThrownBy(() -> parse("object", expression));
	}

	/** The declared type of the value does not show whether it is an enum. */
	@ParameterizedTest
	@ValueSource(strings = { "'k:' + #value.hashCode()", "'k:' + #value?.hashCode() % 16", "{#value}.![hashCode()]",
			"{#value}.!['k:' + #this.hashCode()]", "#value.hashCode() > 0 ? 'a' : 'b'", "'k:' + {#value}.hashCode()",
			"'k:' + #target.hashCode()", "'k:' + @keys.of(1).bytes.hashCode()" })
	void hashCodeOfAnEnumOrAnotherObjectFailsTheCall(String expression) {
		KeyExpression key = parse("object", expression);
		assertThatExceptionOfType(LockKeyException.class)
			.isThrownBy(() -> key.evaluate(this.target, new Object[] { DayOfWeek.FRIDAY }))
			.withMessageContaining("Orders.object")
			.withMessageContaining("hash code")
			.withMessageContaining("each process");
	}

	/** A type that was accepted in one call does not admit others in later calls. */
	@Test
	void hashCodeIsCheckedAtEachCall() {
		KeyExpression key = parse("object", "'k:' + #value.hashCode()");
		for (int i = 0; i < 3; i++) {
			assertThat(key.evaluate(this.target, new Object[] { 5 })).hasToString("k:5");
			assertThatExceptionOfType(LockKeyException.class)
				.isThrownBy(() -> key.evaluate(this.target, new Object[] { DayOfWeek.FRIDAY }));
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

	/** Methods of an application. */
	public static final class Shop {

		public static String now() {
			return "noon";
		}

		public static String systemDefault() {
			return "noon";
		}

		public static String getDefault() {
			return "noon";
		}

		public static String toLowerCase() {
			return "noon";
		}

		public static int hash(@Nullable Object id) {
			return 7;
		}

		public static int hashCode(@Nullable Object id) {
			return 7;
		}

	}

}
