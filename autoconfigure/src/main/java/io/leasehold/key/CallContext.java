package io.leasehold.key;

import java.lang.reflect.Method;
import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.expression.BeanResolver;
import org.springframework.expression.ConstructorResolver;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.MethodResolver;
import org.springframework.expression.OperatorOverloader;
import org.springframework.expression.PropertyAccessor;
import org.springframework.expression.TypeComparator;
import org.springframework.expression.TypeConverter;
import org.springframework.expression.TypeLocator;
import org.springframework.expression.TypedValue;

/**
 * Evaluation context of one call. It looks parameters up by name and delegates the rest
 * to a context that all calls share, because a standard context per call would copy the
 * lists of all resolvers and parameters.
 */
final class CallContext implements EvaluationContext {

	private final EvaluationContext shared;

	private final Root root;

	private final KeyVariables variables;

	CallContext(EvaluationContext shared, Root root, KeyVariables variables) {
		this.shared = shared;
		this.root = root;
		this.variables = variables;
	}

	@Override
	public @Nullable Object lookupVariable(String name) {
		Integer position = this.variables.position(name);
		if (position != null) {
			return this.root.args[position];
		}
		return KeyVariables.TARGET.equals(name) ? this.root.target : null;
	}

	/** Reject increments; assignments are rejected at startup. */
	@Override
	public void setVariable(String name, @Nullable Object value) {
		throw new UnsupportedOperationException("Lock expressions must not assign #" + name);
	}

	@Override
	public TypedValue getRootObject() {
		return new TypedValue(this.root);
	}

	@Override
	public List<PropertyAccessor> getPropertyAccessors() {
		return this.shared.getPropertyAccessors();
	}

	@Override
	public List<ConstructorResolver> getConstructorResolvers() {
		return this.shared.getConstructorResolvers();
	}

	@Override
	public List<MethodResolver> getMethodResolvers() {
		return this.shared.getMethodResolvers();
	}

	@Override
	public @Nullable BeanResolver getBeanResolver() {
		return this.shared.getBeanResolver();
	}

	@Override
	public TypeLocator getTypeLocator() {
		return this.shared.getTypeLocator();
	}

	@Override
	public TypeConverter getTypeConverter() {
		return this.shared.getTypeConverter();
	}

	@Override
	public TypeComparator getTypeComparator() {
		return this.shared.getTypeComparator();
	}

	@Override
	public OperatorOverloader getOperatorOverloader() {
		return this.shared.getOperatorOverloader();
	}

	/**
	 * Object behind {@code #root}. SpEL reads its components as properties.
	 */
	record Root(Method method, @Nullable Object[] args, @Nullable Object target, Class<?> targetClass) {
	}

}
