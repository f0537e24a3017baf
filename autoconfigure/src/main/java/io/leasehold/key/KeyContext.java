package io.leasehold.key;

import java.lang.reflect.Method;
import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.expression.BeanResolver;
import org.springframework.expression.spel.ExpressionState;
import org.springframework.expression.spel.SpelParserConfiguration;
import org.springframework.expression.spel.support.StandardEvaluationContext;

/**
 * Evaluation context of a method's expressions. All calls share what SpEL caches about
 * classes. Thread-safe.
 */
final class KeyContext {

	private static final SpelParserConfiguration CONFIGURATION = new SpelParserConfiguration();

	private final Method method;

	private final Class<?> targetClass;

	private final KeyVariables variables;

	private final StandardEvaluationContext shared = new StandardEvaluationContext();

	KeyContext(Method method, Class<?> targetClass, KeyVariables variables, BeanResolver beans) {
		this.method = method;
		this.targetClass = targetClass;
		this.variables = variables;
		this.shared.setBeanResolver(beans);
		this.shared.setPropertyAccessors(List.of(new PropertyReader()));
		this.shared.setMethodResolvers(List.of(new MethodFinder()));
	}

	String methodName() {
		return MethodName.of(this.targetClass, this.method);
	}

	ExpressionState newState(@Nullable Object target, @Nullable Object[] arguments) {
		CallContext.Root root = new CallContext.Root(this.method, arguments, target, this.targetClass);
		return new ExpressionState(new CallContext(this.shared, root, this.variables), CONFIGURATION);
	}

}
