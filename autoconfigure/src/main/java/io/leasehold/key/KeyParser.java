package io.leasehold.key;

import java.lang.reflect.Method;
import java.util.stream.IntStream;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.expression.BeanResolver;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.SpelNodeImpl;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.ReflectiveMethodResolver;
import org.springframework.expression.spel.support.ReflectivePropertyAccessor;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/**
 * Parser and checker of key expressions, called once per method. Thread-safe.
 */
public final class KeyParser {

	private final SpelExpressionParser parser = new SpelExpressionParser();

	private final BeanFactory beans;

	private final BeanResolver resolver;

	/** Create a parser of expressions in which {@code @name} refers to a bean. */
	public KeyParser(BeanFactory beans) {
		this.beans = beans;
		this.resolver = new BeanFactoryResolver(beans);
	}

	/**
	 * Parse a key expression.
	 * @param text the expression, its {@linkplain KeyPlaceholders placeholders} replaced
	 * @param declared the annotated method, whose parameter names take precedence
	 * @param targetClass class of the object that it is called on
	 * @throws InvalidKeyExpressionException if the expression can never work
	 */
	public KeyExpression parse(String text, Method declared, Method method, Class<?> targetClass) {
		if (!StringUtils.hasText(text)) {
			throw new InvalidKeyExpressionException("has a blank key",
					"Write a SpEL expression, such as \"'order:' + #id\", or a fixed text in quotes, such as \"'report'\".",
					null);
		}
		refuse("key", text, "${", "contains an unresolved placeholder ${...}",
				"End it with }, and set its property. Write a parameter as in \"'order:' + #id\".");
		KeyVariables variables = new KeyVariables(declared, method);
		SpelNodeImpl root = parse("key", text);
		new KeyChecks("key", text, variables, this.beans).checkNames(root);
		new PartChecks(text, variables).check(root);
		KeyMethods methods = new KeyMethods(text, variables);
		methods.check(root);
		return new KeyExpression(text, KeyPart.of(root, variables),
				new KeyContext(method, targetClass, variables, this.resolver, methods, new KeyMethods.Properties()),
				isBare(root, variables));
	}

	private static boolean isBare(SpelNode node, KeyVariables variables) {
		Class<?> type = variables.type(node);
		if (type != null) {
			return ClassUtils.isSimpleValueType(type) || type.isArray() || Iterable.class.isAssignableFrom(type);
		}
		return node instanceof CompoundExpression && variables.type(node.getChild(0)) != null
				&& IntStream.range(1, node.getChildCount())
					.allMatch((i) -> node.getChild(i) instanceof PropertyOrFieldReference);
	}

	/**
	 * Parse the expression of a condition.
	 * @see #parse(String, Method, Method, Class)
	 */
	public LockCondition parseCondition(String text, Method declared, Method method, Class<?> targetClass) {
		KeyVariables variables = new KeyVariables(declared, method);
		refuse("condition", text, "${", "contains a placeholder ${...}: conditions do not resolve it",
				"Read a property with @environment.getRequiredProperty('...').");
		SpelNodeImpl root = parse("condition", text);
		new KeyChecks("condition", text, variables, this.beans).checkNames(root);
		return new LockCondition(root, new KeyContext(method, targetClass, variables, this.resolver,
				new ReflectiveMethodResolver(), new ReflectivePropertyAccessor()));
	}

	private SpelNodeImpl parse(String attribute, String text) {
		refuse(attribute, text, "#{", "contains a template #{...}: the whole text is one expression",
				"Write it without #{ and }, such as \"'order:' + #id\".");
		try {
			return (SpelNodeImpl) ((SpelExpression) this.parser.parseExpression(text)).getAST();
		}
		catch (ParseException | IllegalStateException ex) {
			throw new InvalidKeyExpressionException(
					"has %s \"%s\", which is not a SpEL expression: %s".formatted(attribute, text, ex.getMessage()),
					"Put fixed text in single quotes and join parts with +, such as \"'order:' + #id\".", ex);
		}
	}

	/** Reject a mark that is literal text inside quotes and a syntax error outside. */
	private static void refuse(String attribute, String text, String mark, String problem, String action) {
		if (text.contains(mark)) {
			throw InvalidKeyExpressionException.of(attribute, text, problem, action);
		}
	}

}
