package io.leasehold.key;

import java.lang.reflect.Method;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

import io.leasehold.LockKeyException;
import io.leasehold.test.contract.Fault;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.support.StaticListableBeanFactory;
import org.springframework.util.ReflectionUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link KeyExpression}.
 */
class KeyExpressionTests extends KeyExpressionFixture {

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '`', commentCharacter = '%', textBlock = """
			'order:' + #id                    | order:42
			'order:' + #p0                    | order:42
			'order:' + #a0 + ':' + #p1        | order:42:x y
			#id                               | 42
			#id + ':' + #name                 | 42:x y
			'a' + ('b' + #id)                 | ab42
			'report'                          | report
			#id + 1                           | 43
			#id + 1 + ':'                     | 43:
			':' + #id + 1                     | :421
			'order:' + #name.length()         | order:3
			#id > 40 ? 'big:' + #id : 'small' | big:42
			#target.region + ':' + #id        | eu:42
			#root.target.region + #id         | eu42
			#root.method.name                 | pay
			#root.args[0] + 'x'               | 42x
			args[0] + 'x'                     | 42x
			#root.targetClass.simpleName      | Orders
			@keys.of(#id)                     | bean keys 42
			{1,2,3}.![#this * 2][1] + 'x'     | 4x
			#name?.trim()                     | x y
			#name.toUpperCase(T(java.util.Locale).ROOT) | X Y
			'bucket:' + #name.hashCode() % 16 | bucket:1
			T(java.lang.Math).abs(#id) + 'x'  | 42x
			#id + #p0                         | 84
			'bucket:' + (args[0] + args[0]) % 16 | bucket:4
			{(args[0] + args[0]) / 2}[0] + ':'   | 42:
			""")
	void readsWhatSpelReads(String expression, String key) {
		assertThat(evaluate(expression, 42, "x y")).isEqualTo(key);
	}

	@Test
	void textOfValuesIsThatOfSpel() {
		UUID uuid = UUID.randomUUID();
		for (Object value : List.of(1, 2L, new BigDecimal("3.5"), 'c', true, uuid, TimeUnit.DAYS)) {
			assertThat(evaluateObject("'k:' + #value", value)).isEqualTo("k:" + value);
			assertThat(evaluateObject("#value", value)).isEqualTo(value.toString());
		}
	}

	/** A number and its text are one key, whatever their types. */
	@Fault(75)
	@Test
	void valuesThatReadTheSameAreTheSameKey() {
		assertThat(evaluateObject("'k:' + #value", 1)).isEqualTo(evaluateObject("'k:' + #value", 1L))
			.isEqualTo(evaluateObject("'k:' + #value", "1"));
	}

	/** Texts that look the same but are other characters are two keys. */
	@Fault(75)
	@Test
	void unicodeFormsAreDifferentKeys() {
		assertThat(evaluateObject("#value", "\u00e9")).isNotEqualTo(evaluateObject("#value", "e\u0301"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "#{T(java.lang.System).exit(1)}", "${user.home}", "#id", "' + #id + '", "a/../b" })
	void argumentsAreNeverParsed(String argument) {
		assertThat(evaluateObject("'k:' + #value", argument)).isEqualTo("k:" + argument);
	}

	@Test
	void argumentsAndPropertiesAreNotIncremented() {
		for (String expression : List.of("#id++ + 'x'", "'x' + ++#target.visits")) {
			assertThatExceptionOfType(LockKeyException.class).isThrownBy(() -> evaluate(expression, 42, "x y"))
				.withMessageContaining("Orders.pay");
		}
		assertThat(this.target.visits).isZero();
	}

	@Test
	void collectionOrArrayMeansSeveralKeysInOneOrder() {
		for (Object value : List.of(List.of("b", "a", "b"), new String[] { "b", "a" },
				new LinkedHashSet<>(List.of("b", "a")))) {
			assertThat(keys("object", "#value", value)).containsExactly("a", "b");
		}
		assertThat(keys("object", "#value", new int[] { 10, 9, 10 })).containsExactly("10", "9");
		assertThat(keys("object", "{'x', #value}", "a")).containsExactly("a", "x");
	}

	@Test
	void keyIsMadeOfEachElement() {
		assertThat(keys("object", "#value.!['order:' + #this]", List.of(2, 1))).containsExactly("order:1", "order:2");
		assertThat(keys("object", "#value.![length() + ':' + #this]", List.of("bb", "a"))).containsExactly("1:a",
				"2:bb");
		assertThat(keys("object", "#value.subList(0, 2).!['k' + #this]", List.of("b", "a", "c"))).containsExactly("ka",
				"kb");
		assertThat(keys("object", "#value.!['k' + (#this > 1 ? 'big' : 'small')]", new int[] { 1, 2 }))
			.containsExactly("kbig", "ksmall");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '`', commentCharacter = '%', textBlock = """
			{'account:' + #id, 'account:' + #name}                | account:42,account:x y
			{'b:' + #name, 'a:' + #id}                            | a:42,b:x y
			{'account:' + #id, 'account:' + #p0}                  | account:42
			{'account:' + #id}                                    | account:42
			{'report', 'invoice'}                                 | invoice,report
			{#id, #id + 1}                                        | 42,43
			{'big:' + #id, #id > 40 ? 'big:' + #name : 'small'}   | big:42,big:x y
			#id > 40 ? {'a:' + #id, 'b:' + #id} : 'small'         | a:42,b:42
			{@keys.of(#id), #target.region + ':' + #name.trim()}  | bean keys 42,eu:x y
			""")
	void listHasAKeyForEachOfItsOperands(String expression, String keys) {
		assertThat(evaluate(expression, 42, "x y")).isEqualTo(keys);
	}

	/**
	 * Each operand of a list of keys is checked as a single key is: one that names no
	 * lock fails the call.
	 */
	@Fault(128)
	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '`', commentCharacter = '%', textBlock = """
			{'account:' + #id, 'account:' + #name}             | #name is null
			{'account:' + #id, #name}                          | #name is null
			{'account:' + #name, 'account:' + #id}             | #name is null
			{'account:' + #id, 'account:' + #name?.length()}   | #name?.length() is null
			{'account:' + #id, #target.blank}                  | blank
			{'account:' + #id, #target.several}                | one value is needed
			{'account:' + #id, 'account:' + #target.several}   | one value is needed
			{'account:' + #id, #target.plain}                  | toString()
			""")
	void operandsOfAListAreCheckedOneByOne(String expression, String reason) {
		assertThatExceptionOfType(LockKeyException.class).isThrownBy(() -> evaluate(expression, 42, null))
			.withMessageContaining("Orders.pay")
			.withMessageContaining(reason);
	}

	@Test
	void valuesWithoutANullInTheirTextAreKeys() {
		for (Object value : List.of(new OrderId("eu", 7), new OrderId("null", 7), "OrderId[region=null]",
				new Generated("a=null"), new Generated("Other(a=null)"), new Generated("Generated(a=nullable)"))) {
			assertThat(evaluateObject("'k:' + #value", value)).isEqualTo("k:" + value);
		}
	}

	/** An element of several keys that is null or has no text of its own is refused. */
	@Fault({ 72, 73 })
	@Test
	void elementsAreCheckedAsSingleKeysAre() {
		for (String expression : List.of("#value", "#value.!['k:' + #this]")) {
			for (Object bad : Arrays.asList(null, new Plain(), List.of(1), Optional.of(1))) {
				assertThatExceptionOfType(LockKeyException.class)
					.isThrownBy(() -> evaluateObject(expression, Arrays.asList("good", bad)))
					.withMessageContaining("Orders.object");
			}
		}
		assertThatExceptionOfType(LockKeyException.class).isThrownBy(() -> evaluateObject("#value", List.of("a", " ")))
			.withMessageContaining("blank");
		assertThatExceptionOfType(LockKeyException.class).isThrownBy(() -> evaluateObject("#value", List.of()))
			.withMessageContaining("#value is empty");
		assertThatExceptionOfType(LockKeyException.class)
			.isThrownBy(() -> evaluateObject("#value.!['k:' + #this]", List.of()))
			.withMessageContaining("is empty");
	}

	@Test
	void namesOfTheAnnotatedMethodWin() {
		Method declared = ReflectionUtils.findMethod(Swapped.class, "swap", String.class, String.class);
		Method method = ReflectionUtils.findMethod(Orders.class, "swap", String.class, String.class);
		KeyExpression key = new KeyParser(new StaticListableBeanFactory()).parse("#left", declared, method,
				Orders.class);
		assertThat(key.evaluate(this.target, new Object[] { "first", "second" })).hasToString("first");
	}

}
