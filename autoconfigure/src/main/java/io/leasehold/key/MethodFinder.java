package io.leasehold.key;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.core.convert.TypeDescriptor;
import org.springframework.expression.AccessException;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.MethodExecutor;
import org.springframework.expression.TypedValue;
import org.springframework.expression.spel.support.ReflectiveMethodExecutor;
import org.springframework.expression.spel.support.ReflectiveMethodResolver;
import org.springframework.util.ClassUtils;

/**
 * Resolver that finds methods as SpEL does by default, but calls them directly if they
 * have no generic types and their arguments need no conversion. SpEL analyses generic
 * types at each call, which takes longer than the rest of the call.
 */
final class MethodFinder extends ReflectiveMethodResolver {

	@Override
	public @Nullable MethodExecutor resolve(EvaluationContext context, Object target, String name,
			List<TypeDescriptor> argumentTypes) throws AccessException {
		MethodExecutor found = super.resolve(context, target, name, argumentTypes);
		return (found instanceof ReflectiveMethodExecutor reflective && isPlain(reflective.getMethod(), target))
				? new PlainCall(reflective.getMethod(), found) : found;
	}

	private static boolean isPlain(Method method, Object target) {
		return method.canAccess(Modifier.isStatic(method.getModifiers()) ? null : target)
				&& method.getGenericReturnType() == method.getReturnType()
				&& Arrays.equals(method.getGenericParameterTypes(), method.getParameterTypes());
	}

	/**
	 * Call of a method with arguments of exactly its parameters' types.
	 *
	 * @param types types of its parameters, boxed
	 * @param converting executor for other arguments
	 */
	private record PlainCall(Method method, Class<?>[] types, MethodExecutor converting) implements MethodExecutor {

		PlainCall(Method method, MethodExecutor converting) {
			this(method,
					Arrays.stream(method.getParameterTypes())
						.map(ClassUtils::resolvePrimitiveIfNecessary)
						.toArray(Class<?>[]::new),
					converting);
		}

		@Override
		public TypedValue execute(EvaluationContext context, Object target, Object... arguments)
				throws AccessException {
			if (!fit(arguments)) {
				return this.converting.execute(context, target, arguments);
			}
			try {
				return new TypedValue(this.method.invoke(target, arguments));
			}
			catch (Exception ex) {
				throw new AccessException("Problem invoking method: " + this.method, ex);
			}
		}

		private boolean fit(@Nullable Object[] arguments) {
			boolean fit = arguments.length == this.types.length;
			for (int i = 0; fit && i < arguments.length; i++) {
				Object argument = arguments[i];
				fit = argument != null && argument.getClass() == this.types[i];
			}
			return fit;
		}

	}

}
