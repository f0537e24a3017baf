package io.leasehold.key;

import org.jspecify.annotations.Nullable;

import org.springframework.expression.AccessException;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.PropertyAccessor;
import org.springframework.expression.TypedValue;
import org.springframework.expression.spel.support.ReflectivePropertyAccessor;

/**
 * Property accessor that reads as SpEL does by default, and never writes. An expression
 * caches an accessor only if it is in its context's list. SpEL replaces its own default
 * accessor by a new one for each read, which is never in that list.
 */
final class PropertyReader implements PropertyAccessor {

	private final PropertyAccessor reflective = new ReflectivePropertyAccessor();

	@Override
	public Class<?> @Nullable [] getSpecificTargetClasses() {
		return null;
	}

	@Override
	public boolean canRead(EvaluationContext context, @Nullable Object target, String name) throws AccessException {
		return this.reflective.canRead(context, target, name);
	}

	@Override
	public TypedValue read(EvaluationContext context, @Nullable Object target, String name) throws AccessException {
		return this.reflective.read(context, target, name);
	}

	@Override
	public boolean canWrite(EvaluationContext context, @Nullable Object target, String name) {
		return false;
	}

	@Override
	public void write(EvaluationContext context, @Nullable Object target, String name, @Nullable Object value)
			throws AccessException {
		throw new AccessException("Lock expressions must not assign property '%s'".formatted(name));
	}

}
