package io.leasehold.rewrite;

import org.springframework.expression.Expression;
import org.springframework.expression.ParseException;
import org.springframework.expression.common.CompositeStringExpression;
import org.springframework.expression.common.LiteralExpression;
import org.springframework.expression.common.TemplateParserContext;
import org.springframework.expression.spel.standard.SpelExpressionParser;

/**
 * Text with expressions, such as <code>report-#{#region}</code>.
 */
final class KeyTemplate {

	private KeyTemplate() {
	}

	/**
	 * Add the texts and the expressions of a template to a key.
	 * @param receiver prefix of an expression that begins with a member of its root
	 */
	static void add(KeyText key, String template, String receiver, Translation lock) {
		try {
			Expression parsed = new SpelExpressionParser().parseExpression(template, new TemplateParserContext());
			for (Expression part : parts(parsed)) {
				if (part instanceof LiteralExpression) {
					key.text(part.getExpressionString());
				}
				else {
					Keys.addLiteral(key, part.getExpressionString(), receiver, lock);
				}
			}
		}
		catch (ParseException ex) {
			lock.leave("\"%s\" is not a template of SpEL. Write the key yourself".formatted(template));
		}
	}

	private static Expression[] parts(Expression parsed) {
		return (parsed instanceof CompositeStringExpression several) ? several.getExpressions()
				: new Expression[] { parsed };
	}

}
