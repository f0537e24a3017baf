package io.leasehold.key;

import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

import io.leasehold.LockKey;
import io.leasehold.LockKeyException;
import io.leasehold.test.contract.Fault;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.support.StaticListableBeanFactory;
import org.springframework.util.ReflectionUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class KeyExpressionTests {

	private final Orders target = new Orders();

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
			#name?.toUpperCase()              | X Y
			T(java.lang.Math).abs(#id) + 'x'  | 42x
			#id + #p0                         | 84
			""")
	void readsWhatSpelReads(String expression, String key) {
		assertThat(evaluate(expression, 42, "x y")).isEqualTo(key);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '`', commentCharacter = '%', textBlock = """
			#target.half(84)                     | 42
			#target.half('84')                   | 42
			#target.sum({'1', '2'})              | 3
			#target.named(null)                  | nobody
			#target.named('you')                 | you
			#target.byNumber()['5']              | five
			#target.joined('a', 'b')             | ab
			#target.joined()                     | none
			#target.ofHiddenClass().size()       | 1
			T(java.lang.Integer).valueOf('7')    | 7
			""")
	void methodsTakeAndReturnWhatTheyDoInSpel(String expression, String key) {
		assertThat(evaluate(expression, 42, "x y")).isEqualTo(key);
	}

	@Test
	void textOfValuesIsThatOfSpel() {
		UUID uuid = UUID.randomUUID();
		for (Object value : List.of(1, 2L, 3.5, 'c', true, uuid, TimeUnit.DAYS, Path.of("a", "b"))) {
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

	/** A null in a key is refused instead of made the text "null". */
	@Fault(72)
	@ParameterizedTest
	@ValueSource(strings = { "'order:' + #name", "#name + 'x'", "#name", "'a' + ('b' + #name)", "#name + #name",
			"'order:' + #name?.length()", "#id > 40 ? 'big:' + #name : 'small'", "'order:' + #target.nothing" })
	void nullsAreRefused(String expression) {
		assertThatExceptionOfType(LockKeyException.class).isThrownBy(() -> evaluate(expression, 42, null))
			.withMessageContaining("Orders.pay")
			.withMessageContaining("is null");
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
	void nullConditionIsRefused() {
		assertThatExceptionOfType(LockKeyException.class).isThrownBy(() -> evaluateObject("#value ? 'a' : 'b'", null))
			.withMessageContaining("Orders.object");
	}

	/** A blank key would be the same lock for all that have none. */
	@Fault(72)
	@ParameterizedTest
	@ValueSource(strings = { "", "  ", "\t" })
	void blankKeysAreRefused(String value) {
		assertThatExceptionOfType(LockKeyException.class).isThrownBy(() -> evaluateObject("#value", value))
			.withMessageContaining("Orders.object")
			.withMessageContaining("blank");
	}

	@Test
	void keysThatAreTooLongAreRefused() {
		assertThat(evaluateObject("#value", "x".repeat(512))).hasSize(512);
		assertThatExceptionOfType(LockKeyException.class).isThrownBy(() -> evaluateObject("#value", "x".repeat(513)))
			.withMessageContaining("512");
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

	/** The generated text of a record or data class shows the nulls inside of it. */
	@Fault(129)
	@Test
	void valuesWithANullInTheirTextAreRefused() {
		List<Object> values = List.of(new OrderId("eu", null), new OrderId(null, 7), new OrderId("null", 7),
				new Nested(new OrderId(null, 1)), new Generated("Generated(region=null, number=7)"),
				new Generated("Generated{number=null}"));
		for (Object value : values) {
			for (String expression : List.of("#value", "'order:' + #value", "{'a', #value}", "{'a', 'b' + #value}")) {
				assertNullInsideRefused(expression, value);
			}
			assertNullInsideRefused("#value.!['k' + #this]", List.of(value));
			assertNullInsideRefused("#value", List.of(value));
		}
	}

	private void assertNullInsideRefused(String expression, Object value) {
		assertThatExceptionOfType(LockKeyException.class).isThrownBy(() -> evaluateObject(expression, value))
			.withMessageContaining("Orders.object")
			.withMessageContaining("which contains null");
	}

	@Test
	void valuesWithoutANullInTheirTextAreKeys() {
		for (Object value : List.of(new OrderId("eu", 7), new OrderId("nullable", 7), "OrderId[region=null]",
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

	/** An array or a collection is refused where one value is needed. */
	@Fault(73)
	@Test
	void severalValuesAreNoPartOfAKey() {
		for (Object value : List.of(Map.of("a", 1), Optional.of(1), List.of(1).iterator(), List.of(1).stream())) {
			assertSeveralRefused("#value", value);
			assertSeveralRefused("'k:' + #value", value);
		}
		assertSeveralRefused("'k:' + #value", List.of(1));
		assertSeveralRefused("'k:' + #value", new int[] { 1 });
	}

	private void assertSeveralRefused(String expression, Object value) {
		assertThatExceptionOfType(LockKeyException.class).isThrownBy(() -> evaluateObject(expression, value))
			.withMessageContaining("Orders.object")
			.withMessageContaining("one value is needed");
	}

	/** A value without a text of its own would be another key in each process. */
	@Fault(73)
	@Test
	void valuesWithoutTextOfTheirOwnAreRefused() {
		for (String expression : List.of("#value", "'k:' + #value")) {
			assertThatExceptionOfType(LockKeyException.class).isThrownBy(() -> evaluateObject(expression, new Plain()))
				.withMessageContaining("Orders.object")
				.withMessageContaining(Plain.class.getName())
				.withMessageContaining("toString()");
		}
	}

	@Test
	void failingExpressionNamesTheMethodAndKeepsTheCause() {
		assertThatExceptionOfType(LockKeyException.class).isThrownBy(() -> evaluate("#target.fail()", 42, "x"))
			.withMessageContaining("Orders.pay")
			.withMessageContaining("no luck")
			.withCauseInstanceOf(IllegalStateException.class);
	}

	/** A mistake that can be seen in the expression fails startup. */
	@Fault({ 72, 129 })
	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '`', commentCharacter = '~', textBlock = """
			order:#id                     | not a SpEL expression        | single quotes
			'order:' + #idd               | no parameter 'idd'           | #id or #name or #p0, #p1
			'order:' + #p2                | no parameter 'p2'            | #p0, #p1
			'order:' + #name.concat(#nme) | no parameter 'nme'           | #name
			'order:' + id                 | bare name id                 | Write #id for the parameter
			order                         | bare name order              | 'order' in single quotes
			'order:' + pay()              | calls pay() without a target | #target.pay()
			#root.arguments[0]            | #root.arguments              | args, method, target, targetClass
			@keyz.of(#id)                 | no bean 'keyz'               | name of a bean
			#digest(#id)                  | function #digest             | @beanName
			#id = 7                       | assigns                      | ==
			'order:' + null               | always null                  | single quotes
			('order:' + #id).trim()       | joins text inside            | Move the + outside
			@keys.of('order:' + #id)      | joins text inside            | Move the + outside
			(#name + #id).trim()          | joins text inside            | Move the + outside
			{'a', ('b' + #id).trim()}     | joins text inside            | Move the + outside
			{'a', null}                   | always null                  | single quotes
			{'a', {'b' + #id}}            | several values               | per element
			'a' + {#id}                   | several values               | per element
			{}                            | empty list                   | at least one
			'k:%s'.formatted(#id)         | formats text                 | Join the parts with +
			'a' + '%d'.formatted(#id)     | formats text                 | Join the parts with +
			{'a', #name.formatted(#id)}   | formats text                 | Join the parts with +
			T(String).format('k%s', #id)  | formats text                 | Join the parts with +
			T(String).join('-', #name)    | converts its parts          | Join the parts with +
			T(String).valueOf(#name)      | converts its parts          | Join the parts with +
			'a' + T(java.util.Objects).toString(#id) | converts its parts | Join the parts with +
			'${app.name}:' + #id          | placeholder                  | @environment
			${app.name}                   | placeholder                  | @environment
			order:#{#id}                  | template                     | without #{
			""")
	void mistakesAreFoundBeforeTheFirstCall(String expression, String problem, String action) {
		assertThatExceptionOfType(InvalidKeyExpressionException.class).isThrownBy(() -> parse("pay", expression))
			.satisfies((ex) -> {
				assertThat(ex.getProblem()).contains(problem);
				assertThat(ex.getAction()).contains(action);
			});
	}

	@ParameterizedTest
	@ValueSource(strings = { "'order:' + #ids", "{#ids}", "{'a', #more}", "'a' + #byName" })
	void parametersWithSeveralValuesAreNoPartOfAKey(String expression) {
		assertThatExceptionOfType(InvalidKeyExpressionException.class).isThrownBy(() -> parse("several", expression))
			.withMessageContaining("several values where one is needed");
	}

	@ParameterizedTest
	@ValueSource(strings = { "", " " })
	void blankExpressionIsRefused(String expression) {
		assertThatExceptionOfType(InvalidKeyExpressionException.class).isThrownBy(() -> parse("pay", expression))
			.withMessageContaining("blank key");
	}

	/** Classes compiled without parameter names are named as the reason. */
	@Fault(72)
	@Test
	void missingParameterNamesAreNamedAsTheReason() {
		// The JDK's own classes come without parameter names
		Method method = ReflectionUtils.findMethod(Comparable.class, "compareTo", Object.class);
		assertThatExceptionOfType(InvalidKeyExpressionException.class)
			.isThrownBy(() -> new KeyParser(new StaticListableBeanFactory()).parse("'k:' + #other", method, method,
					Comparable.class))
			.satisfies((ex) -> assertThat(ex.getAction()).contains("-parameters").contains("#p0"));
		KeyExpression byPosition = new KeyParser(new StaticListableBeanFactory()).parse("'k:' + #p0", method, method,
				Comparable.class);
		assertThat(byPosition.evaluate("x", new Object[] { "y" })).hasToString("k:y");
	}

	@Test
	void namesOfTheAnnotatedMethodWin() {
		Method declared = ReflectionUtils.findMethod(Swapped.class, "swap", String.class, String.class);
		Method method = ReflectionUtils.findMethod(Orders.class, "swap", String.class, String.class);
		KeyExpression key = new KeyParser(new StaticListableBeanFactory()).parse("#left", declared, method,
				Orders.class);
		assertThat(key.evaluate(this.target, new Object[] { "first", "second" })).hasToString("first");
	}

	private String evaluate(String expression, @Nullable Object... arguments) {
		return parse("pay", expression).evaluate(this.target, arguments).toString();
	}

	private String evaluateObject(String expression, @Nullable Object argument) {
		return parse("object", expression).evaluate(this.target, new Object[] { argument }).toString();
	}

	private List<String> keys(String method, String expression, @Nullable Object... arguments) {
		return parse(method, expression).evaluate(this.target, arguments).all().stream().map(LockKey::value).toList();
	}

	private static KeyExpression parse(String method, String expression) {
		Method found = Arrays.stream(Orders.class.getDeclaredMethods())
			.filter((candidate) -> candidate.getName().equals(method))
			.findFirst()
			.orElseThrow();
		return new KeyParser(new StaticListableBeanFactory(Map.of("keys", new Keys("keys")))).parse(expression, found,
				found, Orders.class);
	}

	interface Swapped {

		void swap(String left, String right);

	}

	public static class Orders implements Swapped {

		public int visits;

		public String getRegion() {
			return "eu";
		}

		public @Nullable String getNothing() {
			return null;
		}

		public String getBlank() {
			return " ";
		}

		public List<String> getSeveral() {
			return List.of("a", "b");
		}

		public Object getPlain() {
			return new Plain();
		}

		public int half(int number) {
			return number / 2;
		}

		public int sum(List<Integer> numbers) {
			return numbers.stream().mapToInt(Integer::intValue).sum();
		}

		public String named(Optional<String> name) {
			return name.orElse("nobody");
		}

		public Map<Integer, String> byNumber() {
			return Map.of(5, "five");
		}

		public String joined(String... parts) {
			return (parts.length > 0) ? String.join("", parts) : "none";
		}

		public Object ofHiddenClass() {
			return List.of("x");
		}

		public String fail() {
			throw new IllegalStateException("no luck");
		}

		void pay(int id, String name) {
		}

		void several(List<Long> ids, String[] more, Map<String, String> byName) {
		}

		void object(Object value) {
		}

		@Override
		public void swap(String right, String left) {
		}

	}

	public static class Keys {

		private final String name;

		Keys(String name) {
			this.name = name;
		}

		public String of(Object id) {
			return "bean " + this.name + " " + id;
		}

	}

	static class Plain {

	}

	record OrderId(@Nullable String region, @Nullable Integer number) {

	}

	record Nested(OrderId id) {

	}

	/** What Lombok or Kotlin generate. */
	static class Generated {

		private final String text;

		Generated(String text) {
			this.text = text;
		}

		@Override
		public String toString() {
			return this.text;
		}

	}

}
