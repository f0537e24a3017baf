package io.leasehold.key;

import java.lang.reflect.Method;

import org.jspecify.annotations.Nullable;

import org.springframework.expression.BeanResolver;
import org.springframework.expression.TypeLocator;
import org.springframework.expression.spel.ExpressionState;
import org.springframework.expression.spel.SpelParserConfiguration;
import org.springframework.expression.spel.support.StandardEvaluationContext;
import org.springframework.expression.spel.support.StandardTypeLocator;

/**
 * Factory of the evaluation contexts of a method's expressions. Thread-safe.
 */
final class KeyContext {

	private static final SpelParserConfiguration CONFIGURATION = new SpelParserConfiguration();

	private final Method method;

	private final Class<?> targetClass;

	private final KeyVariables variables;

	private final BeanResolver beans;

	/**
	 * Locator with the class loader of the bean. That of the calling thread may be
	 * another one, such as in the common pool.
	 */
	private final TypeLocator types;

	KeyContext(Method method, Class<?> targetClass, KeyVariables variables, BeanResolver beans) {
		this.method = method;
		this.targetClass = targetClass;
		this.variables = variables;
		this.beans = beans;
		this.types = new StandardTypeLocator(targetClass.getClassLoader());
	}

	String methodName() {
		return MethodName.of(this.targetClass, this.method);
	}

	ExpressionState newState(@Nullable Object target, @Nullable Object[] arguments) {
		StandardEvaluationContext context = new ReadOnlyContext(
				new Root(this.method, arguments, target, this.targetClass));
		context.setBeanResolver(this.beans);
		context.setTypeLocator(this.types);
		context.setVariable(KeyVariables.TARGET, target);
		this.variables.positions().forEach((name, position) -> context.setVariable(name, arguments[position]));
		return new ExpressionState(context, CONFIGURATION);
	}

	/** Context that rejects increments; assignments are rejected at startup. */
	private static final class ReadOnlyContext extends StandardEvaluationContext {

		ReadOnlyContext(Root root) {
			super(root);
		}

		@Override
		public boolean isAssignmentEnabled() {
			return false;
		}

	}

	/**
	 * Object behind {@code #root}. SpEL reads its components as properties.
	 */
	record Root(Method method, @Nullable Object[] args, @Nullable Object target, Class<?> targetClass) {
	}

}
