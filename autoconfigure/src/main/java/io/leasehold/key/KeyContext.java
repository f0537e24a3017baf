package io.leasehold.key;

import java.lang.reflect.Method;
import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.expression.BeanResolver;
import org.springframework.expression.spel.ExpressionState;
import org.springframework.expression.spel.SpelParserConfiguration;
import org.springframework.expression.spel.support.ReflectiveMethodResolver;
import org.springframework.expression.spel.support.ReflectivePropertyAccessor;
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

	/** Resolvers and accessors that all contexts share, with their caches. */
	private final StandardEvaluationContext shared = new StandardEvaluationContext();

	KeyContext(Method method, Class<?> targetClass, KeyVariables variables, BeanResolver beans,
			ReflectiveMethodResolver methods, ReflectivePropertyAccessor properties) {
		this.method = method;
		// Not that of a proxy or a lambda, whose name is another one in each process
		this.targetClass = MethodName.owner(targetClass, method);
		this.variables = variables;
		this.shared.setBeanResolver(beans);
		this.shared.setMethodResolvers(List.of(methods));
		this.shared.setPropertyAccessors(List.of(properties));
		// Not that of the calling thread, which differs in the common pool
		this.shared.setTypeLocator(new StandardTypeLocator(targetClass.getClassLoader()));
	}

	String methodName() {
		return MethodName.of(this.targetClass, this.method);
	}

	ExpressionState newState(@Nullable Object target, @Nullable Object[] arguments) {
		CallContext context = new CallContext(new Root(this.method, arguments, target, this.targetClass),
				this.variables);
		this.shared.applyDelegatesTo(context);
		return new ExpressionState(context, CONFIGURATION);
	}

	/** Context of a call. Rejects increments; assignments are rejected at startup. */
	private static final class CallContext extends StandardEvaluationContext {

		private final Root root;

		private final KeyVariables variables;

		CallContext(Root root, KeyVariables variables) {
			super(root);
			this.root = root;
			this.variables = variables;
		}

		@Override
		public @Nullable Object lookupVariable(String name) {
			Integer position = this.variables.position(name);
			if (position != null) {
				return this.root.args()[position];
			}
			return name.equals(KeyVariables.TARGET) ? this.root.target() : null;
		}

		@Override
		public boolean isAssignmentEnabled() {
			return false;
		}

	}

	/** Object behind {@code #root}. SpEL reads its components as properties. */
	record Root(Method method, @Nullable Object[] args, @Nullable Object target, Class<?> targetClass) {
	}

}
