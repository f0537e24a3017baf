package io.leasehold.key;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.leasehold.LockKey;
import io.leasehold.LockKeyException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.beans.factory.support.StaticListableBeanFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Generated keys with a {@code +} whose operands may be null: no key contains the text
 * "null", wherever the {@code +} is and whatever its operands are.
 */
class NullOperandTests {

	private static final String TYPE = "T(" + NullOperandTests.class.getName() + "$Values)";

	private static final List<String> OPERANDS = List.of("#text", "#any", "#comparable", "#number", "#count", "1",
			"'l'", "#o.text", "#o.any", "#o.number", "#o.text()", "#none?.text", "#o.map['k']", "#o.list[0]",
			"#o.list.![#this][0]", "#root.args[0]", "#target.nothing", "@values.text()", TYPE + ".none()",
			TYPE + ".NONE", "(#o.text)", "(#yes ? #o.text : #o.any)", "(#o.text ?: #o.any)", "(#o.any + #o.number)",
			"(#o.number - 1)", "(#o.text * 2)");

	private static final List<String> PLACES = List.of("%s + %s", "(%s + %s)", "'k:' + (%s + %s)", "(%s + %s).trim()",
			"'k:' + (%s + %s).toString()", "@values.of(%s + %s)", "'k:' + @values.of(%s + %s)",
			"@values.of('k', %s + %s)", "#none ?: %s + %s", "(%s + %s) ?: 'x'", "'k:' + (#none ?: (%s + %s))",
			"#yes ? %s + %s : 'x'", "(#yes ? (%s + %s) : 'x').trim()", "{'a', %s + %s}", "{'a', (%s + %s).trim()}",
			"{%s + %s}[0]", "{k: %s + %s}['k']", "#ids.![%s + %s]", "#ids.![(%s + %s).trim()]", "#ids.![%s + %s][0]",
			"#ids.![@values.of(%s + %s)]", "#o.echoes[%s + %s]", "new String(%s + %s)", "(%s + %s).replace('a', 'b')",
			"((%s + %s) * 2).trim()", "'k:' + -(%s + %s)", "(%s + %s + 'x').trim()");

	@Test
	void noKeyContainsTheTextOfANull() {
		List<String> wrong = new ArrayList<>();
		int accepted = 0;
		for (String place : PLACES) {
			for (String left : OPERANDS) {
				for (String right : OPERANDS) {
					String expression = place.formatted(left, right);
					KeyExpression key = parsed(expression);
					if (key != null) {
						accepted++;
						for (int nulls = 0; nulls < 8; nulls++) {
							String found = evaluated(key, new Values(nulls));
							if (found.contains("null")) {
								wrong.add("%s -> %s".formatted(expression, found));
								break;
							}
						}
					}
				}
			}
		}
		assertThat(wrong).isEmpty();
		assertThat(accepted).as("accepted keys").isGreaterThan(OPERANDS.size() * OPERANDS.size());
	}

	/** Sums of numbers are no text. */
	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
			@values.of(#count + 1)               | of 3
			@values.of(#number + 1)              | of 8
			@values.of(#o.number + 1)            | of 8
			@values.of(#number + #count)         | of 9
			'k:' + @values.of(#count + #o.number) | k:of 9
			#o.list[#count + 1 - 3]              | a
			@values.of(#o.number + 1 + #count)   | of 10
			'k:' + (#o.text + #o.any)            | k:tz
			#none ?: (#count + 1)                | 3
			""")
	void sumsOfNumbersAreAccepted(String expression, String key) {
		KeyExpression parsed = parsed(expression);
		assertThat(parsed).isNotNull();
		assertThat(evaluated(parsed, new Values(0))).isEqualTo(key);
	}

	private static @Nullable KeyExpression parsed(String expression) {
		Method method = Arrays.stream(Values.class.getMethods())
			.filter((candidate) -> candidate.getName().equals("call"))
			.findFirst()
			.orElseThrow();
		try {
			return new KeyParser(new StaticListableBeanFactory(Map.of("values", new Values(7)))).parse(expression,
					method, method, Values.class);
		}
		catch (InvalidKeyExpressionException ex) {
			return null;
		}
	}

	private static String evaluated(KeyExpression key, Values o) {
		try {
			return String.join(
					",", key
						.evaluate(o,
								new Object[] { o.getText(), o.getAny(), o.getText(), o.getNumber(), 2, o, null, true,
										List.of(1) })
						.all()
						.stream()
						.map(LockKey::value)
						.toList());
		}
		catch (LockKeyException ex) {
			return "";
		}
	}

	/**
	 * Values of which some are null.
	 *
	 * @param nulls bits of the null properties
	 */
	public record Values(int nulls) {

		public static final @Nullable String NONE = null;

		public @Nullable String getText() {
			return ((this.nulls & 1) != 0) ? null : "t";
		}

		public @Nullable Object getAny() {
			return ((this.nulls & 2) != 0) ? null : "z";
		}

		public @Nullable Integer getNumber() {
			return ((this.nulls & 4) != 0) ? null : 7;
		}

		public @Nullable String getNothing() {
			return null;
		}

		public @Nullable String text() {
			return getText();
		}

		public static @Nullable String none() {
			return null;
		}

		public Map<String, String> getMap() {
			return (getText() != null) ? Map.of("k", "m") : Map.of();
		}

		public List<String> getList() {
			return (getText() != null) ? List.of("a") : Collections.singletonList(null);
		}

		/** A map that contains each text as its own key. */
		public Map<String, String> getEchoes() {
			return new HashMap<>() {

				@Override
				public String get(Object key) {
					return "echo " + key;
				}

				@Override
				public boolean containsKey(Object key) {
					return true;
				}

			};
		}

		public String of(Object value) {
			if (value == null) {
				throw new IllegalStateException("Null was passed as null");
			}
			return "of " + value;
		}

		public String of(String prefix, Object value) {
			return prefix + of(value);
		}

		public void call(@Nullable String text, @Nullable Object any, @Nullable Comparable<?> comparable,
				@Nullable Integer number, int count, Values o, @Nullable Values none, boolean yes, List<Integer> ids) {
		}

	}

}
