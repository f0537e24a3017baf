package io.leasehold.key;

import java.lang.reflect.Method;

import org.jspecify.annotations.Nullable;

import org.springframework.expression.BeanResolver;
import org.springframework.expression.spel.ExpressionState;
import org.springframework.expression.spel.SpelParserConfiguration;
import org.springframework.expression.spel.support.StandardEvaluationContext;
import org.springframework.util.ClassUtils;

/**
 * What the expressions of a method are evaluated in. Thread-safe; what SpEL finds out
 * about classes is shared by all calls.
 */
final class KeyContext {

	private static final SpelParserConfiguration CONFIGURATION = new SpelParserConfiguration();

	private final Method method;

	private final Class<?> targetClass;

	private final KeyVariables variables;

	private final BeanResolver beans;

	private final StandardEvaluationContext shared = new StandardEvaluationContext();

	KeyContext(Method method, Class<?> targetClass, KeyVariables variables, BeanResolver beans) {
		this.method = method;
		this.targetClass = targetClass;
		this.variables = variables;
		this.beans = beans;
	}

	/** The method as messages name it. */
	String methodName() {
		return "%s.%s".formatted(ClassUtils.getUserClass(this.targetClass).getSimpleName(), this.method.getName());
	}

	ExpressionState newState(@Nullable Object target, @Nullable Object[] arguments) {
		Variables context = new Variables(new Root(this.method, arguments, target, this.targetClass), this.variables);
		this.shared.applyDelegatesTo(context);
		context.setBeanResolver(this.beans);
		return new ExpressionState(context, CONFIGURATION);
	}

	/** Looks parameters up by name, instead of copying them all for each call. */
	private static final class Variables extends StandardEvaluationContext {

		private final Root root;

		private final KeyVariables variables;

		Variables(Root root, KeyVariables variables) {
			super(root);
			this.root = root;
			this.variables = variables;
		}

		@Override
		public @Nullable Object lookupVariable(String name) {
			Integer position = this.variables.position(name);
			if (position != null) {
				return this.root.args[position];
			}
			return KeyVariables.TARGET.equals(name) ? this.root.target : super.lookupVariable(name);
		}

	}

	/** The object behind {@code #root}; public getters for SpEL. */
	static final class Root {

		private final Method method;

		private final @Nullable Object[] args;

		private final @Nullable Object target;

		private final Class<?> targetClass;

		Root(Method method, @Nullable Object[] args, @Nullable Object target, Class<?> targetClass) {
			this.method = method;
			this.args = args;
			this.target = target;
			this.targetClass = targetClass;
		}

		public Method getMethod() {
			return this.method;
		}

		public @Nullable Object[] getArgs() {
			return this.args;
		}

		public @Nullable Object getTarget() {
			return this.target;
		}

		public Class<?> getTargetClass() {
			return this.targetClass;
		}

	}

}
