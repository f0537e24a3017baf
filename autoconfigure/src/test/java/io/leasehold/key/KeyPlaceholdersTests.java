package io.leasehold.key;

import java.util.Map;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.SimpleEvaluationContext;
import org.springframework.util.PropertyPlaceholderHelper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link KeyPlaceholders}.
 */
class KeyPlaceholdersTests {

	private static final Map<String, String> PROPERTIES = Map.of("region", "eu", "which", "region", "quoted", "it's",
			"double", "a \"b\"", "injected", "' + T(java.lang.System).exit(1) + '", "reference", "#id", "brace", "{}");

	private static final PropertyPlaceholderHelper HELPER = new PropertyPlaceholderHelper("${", "}", ":", null, false);

	@ParameterizedTest
	@CsvSource(quoteCharacter = '`', delimiter = '|', textBlock = """
			'${region}:' + #id              | eu:7
			"${region}:" + #id              | eu:7
			${region} + ':' + #id           | eu:7
			${region}                       | eu
			'a' + ${region} + "${region}"   | aeueu
			'it''s ${region}:' + #id        | it's eu:7
			'${none:us}:' + #id             | us:7
			'${${which}}:' + #id            | eu:7
			'${none:${region}}:' + #id      | eu:7
			'${quoted}:' + #id              | it's:7
			"${quoted}:" + #id              | it's:7
			${quoted} + #id                 | it's7
			'${double}:' + #id              | a "b":7
			"${double}:" + #id              | a "b":7
			'${injected}'                   | ' + T(java.lang.System).exit(1) + '
			${injected}                     | ' + T(java.lang.System).exit(1) + '
			${reference}                    | #id
			'${brace}:' + {#id}[0]          | {}:7
			'no placeholder $ { } ' + #id   | no placeholder $ { } 7
			'$${region}'                    | $eu
			'${region'                      | ${region
			""")
	void valuesArePartsOfTheText(String expression, String key) {
		String replaced = KeyPlaceholders.replace(expression,
				(placeholder) -> HELPER.replacePlaceholders(placeholder, PROPERTIES::get));
		SimpleEvaluationContext context = SimpleEvaluationContext.forReadOnlyDataBinding().build();
		context.setVariable("id", 7);
		assertThat(new SpelExpressionParser().parseExpression(replaced).getValue(context)).isEqualTo(key);
	}

}
