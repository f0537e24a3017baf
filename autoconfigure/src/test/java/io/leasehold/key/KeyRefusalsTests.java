package io.leasehold.key;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;

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
 * Keys and expressions that are rejected.
 */
class KeyRefusalsTests extends KeyExpressionFixture {

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

	/** The generated text of a record or data class shows the nulls inside of it. */
	@Fault(129)
	@Test
	void valuesWithANullInTheirTextAreRefused() {
		List<Object> values = List.of(new OrderId("eu", null), new OrderId(null, 7), new Nested(new OrderId(null, 1)),
				new Generated("Generated(region=null, number=7)"), new Generated("Generated{number=null}"));
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
			.satisfies(
					(ex) -> assertThat(ex).message().containsPattern("(region|number) is null$|which contains null"));
	}

	/** An array or a collection is refused where one value is needed. */
	@Fault(73)
	@Test
	void severalValuesAreNoPartOfAKey() {
		for (Object value : List.of(Map.of("a", 1), List.of(1).iterator(), List.of(1).stream())) {
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
			(#target.blank + #target.nothing).trim() | may join text inside | pass the parts separately
			{'a', null}                   | always null                  | single quotes
			{'a', {'b' + #id}}            | several values               | per element
			'a' + {#id}                   | several values               | per element
			{}                            | empty list                   | at least one
			'k:%s'.formatted(#id)         | formats text                 | Join the parts with +
			'a' + '%d'.formatted(#id)     | formats text                 | Join the parts with +
			{'a', #name.formatted(#id)}   | formats text                 | Join the parts with +
			T(String).format('k%s', #id)  | formats text                 | Join the parts with +
			T(java.util.Objects).hash(#id) | contains the hash code      | Join the parts with +
			#name.toLowerCase()           | depends on the time zone or the language | ROOT
			'k:' + T(java.time.LocalDate).now() | depends on the time zone or the language | ZoneOffset
			T(String).join('-', #name)    | converts its parts          | Join the parts with +
			T(String).valueOf(#name)      | converts its parts          | Join the parts with +
			'a' + T(java.util.Objects).toString(#id) | converts its parts | Join the parts with +
			'${app.name:' + #id           | unresolved placeholder       | End it with }
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

	@Test
	void hashCodeOfAParameterThatIsAnEnumFailsStartup() {
		assertThatExceptionOfType(InvalidKeyExpressionException.class)
			.isThrownBy(() -> parse("day", "'k:' + #day.hashCode()"))
			.withMessageContaining("contains the hash code #day.hashCode()")
			.satisfies((ex) -> assertThat(ex.getAction()).contains("name().hashCode()"));
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

	record Nested(OrderId id) {

	}

}
