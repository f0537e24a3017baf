package io.leasehold.key;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.DayOfWeek;
import java.util.Date;
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

import org.springframework.beans.factory.support.StaticListableBeanFactory;

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
	@CsvSource(delimiter = '|', quoteCharacter = '`',
			textBlock = """
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
					'k:' + #value.getBytes('UTF-8').length              | k:2
					'k:' + T(java.text.Normalizer).normalize(#value, T(java.text.Normalizer$Form).NFC) | k:eu
					'k:' + T(java.time.LocalDate).of(2026, 3, 1).format(T(java.time.format.DateTimeFormatter).ofPattern('yyyy-MM')) | k:2026-03
					'k:' + T(java.time.LocalDate).of(2026, 3, 1).format(T(java.time.format.DateTimeFormatter).ofPattern('yyyy-MM-dd''T''')) | k:2026-03-01T
					'k:' + T(java.time.LocalDate).of(2026, 3, 1).format(T(java.time.format.DateTimeFormatter).BASIC_ISO_DATE) | k:20260301
					'k:' + T(java.time.LocalDate).of(2026, 3, 1).format(T(java.time.format.DateTimeFormatter).ofPattern('MMM', T(java.util.Locale).ROOT)).length() / 9 | k:0
					'k:' + new java.util.Date(5).time                   | k:5
					'k:' + new java.util.Date(5).getTime()              | k:5
					'k:' + new java.util.Date(5).toInstant()            | k:1970-01-01T00:00:00.005Z
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
			"T(java.util.Objects).hashCode(#value) > 0 ? 'a' : 'b'", "'k:' + T(String).hashCode()",
			"'k:' + new java.text.SimpleDateFormat('yyyyMMdd').format(#value)",
			"'k:' + new java.text.DecimalFormat('#').format(#value)",
			"'k:' + T(java.text.MessageFormat).format('{0}', 1234)",
			"'k:' + T(java.text.NumberFormat).getInstance().format(1234)",
			"'k:' + T(java.text.DateFormat).getDateInstance().format(#value)",
			"'k:' + T(java.util.Calendar).getInstance().get(5)", "'k:' + new java.util.GregorianCalendar().get(5)",
			"'k:' + T(java.time.LocalDate).now(T(java.time.Clock).systemDefaultZone())",
			"'k:' + T(java.time.format.DateTimeFormatter).ofPattern('EEE').format(#value)",
			"'k:' + T(java.time.format.DateTimeFormatter).ofPattern('YYYY-ww').format(#value)",
			"'k:' + T(java.time.format.DateTimeFormatter).ofPattern('d MMM').format(#value)",
			"'k:' + T(java.time.format.DateTimeFormatter).ofPattern(#value).toString()",
			"'k:' + T(java.time.format.DateTimeFormatter).ofLocalizedDate(T(java.time.format.FormatStyle).SHORT)"
					+ ".format(#value)",
			"'k:' + @keys.of(new java.text.SimpleDateFormat('yyyy').format(#value))" })
	void methodThatDependsOnTheProcessFailsStartup(String expression) {
		assertThatExceptionOfType(InvalidKeyExpressionException.class).isThrownBy(() -> parse("object", expression));
	}

	/** The declared type of the value does not show whether it is an enum. */
	@ParameterizedTest
	@ValueSource(strings = { "'k:' + #value.hashCode()", "'k:' + #value?.hashCode() % 16", "{#value}.![hashCode()]",
			"{#value}.!['k:' + #this.hashCode()]", "#value.hashCode() > 0 ? 'a' : 'b'", "'k:' + {#value}.hashCode()",
			"'k:' + #target.hashCode()", "'k:' + @keys.of(1).getBytes('UTF-8').hashCode()" })
	void hashCodeOfAnEnumOrAnotherObjectFailsTheCall(String expression) {
		KeyExpression key = parse("object", expression);
		assertThatExceptionOfType(LockKeyException.class)
			.isThrownBy(() -> key.evaluate(this.target, new Object[] { DayOfWeek.FRIDAY }))
			.withMessageContaining("Orders.object")
			.withMessageContaining("hash code")
			.withMessageContaining("each process");
	}

	@ParameterizedTest
	@ValueSource(strings = { "'k:' + #value.bytes.length", "'k:' + #value.getBytes().length",
			"'k:' + #target.region.bytes.length", "'k:' + #target.region.getBytes().length",
			"'k:' + 'eu'.getBytes().length", "#target.several.!['k:' + getBytes().length]",
			"#target.several.!['k:' + bytes.length]" })
	void bytesInTheCharsetOfTheProcessFailTheCall(String expression) {
		assertFailsTheCall(expression, "eu", "charset of the process");
	}

	@ParameterizedTest
	@ValueSource(strings = { "'k:' + #value.toString()", "'k:' + #value.hours", "'k:' + #value.getDate()",
			"'k:' + #value.toLocaleString()", "'k:' + #value?.day" })
	void partOfADateInTheTimeZoneOfTheProcessFailsTheCall(String expression) {
		assertFailsTheCall(expression, new Date(), "time zone of the process");
	}

	@ParameterizedTest
	@ValueSource(strings = { "'k:' + #value.class.name", "'k:' + #value.getClass().getSimpleName()",
			"'k:' + #value.class.typeName", "'k:' + #value.class.toString()" })
	void nameOfAGeneratedClassFailsTheCall(String expression) {
		Runnable lambda = () -> {
		};
		assertFailsTheCall(expression, lambda, "generated class");
		assertFailsTheCall(expression, Proxy.newProxyInstance(Runnable.class.getClassLoader(),
				new Class<?>[] { Runnable.class }, (proxy, method, arguments) -> null), "generated class");
		assertThat(evaluateObject("'k:' + #value.class.name", "a")).isEqualTo("k:java.lang.String");
	}

	private void assertFailsTheCall(String expression, Object value, String reason) {
		KeyExpression key = parse("object", expression);
		for (int i = 0; i < 2; i++) {
			assertThatExceptionOfType(LockKeyException.class)
				.isThrownBy(() -> key.evaluate(this.target, new Object[] { value }))
				.withMessageContaining("Orders.object")
				.withMessageContaining(reason);
		}
	}

	/** Conditions need not be the same in every process. */
	@Test
	void conditionMayDependOnTheProcess() throws Exception {
		Method method = Orders.class.getDeclaredMethod("object", Object.class);
		LockCondition condition = new KeyParser(new StaticListableBeanFactory())
			.parseCondition("#value.hours >= 0 and #value.toString() != ''", method, method, Orders.class);
		assertThat(condition.holds(this.target, new Object[] { new Date() })).isTrue();
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
