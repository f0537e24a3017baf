package io.leasehold.annotation;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;

import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.aot.hint.annotation.ReflectiveProcessor;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Reflection hints of an annotated method or class for native images: the method itself,
 * its fallback, and the members of its arguments and bean that key expressions may read.
 */
class LockReflectiveProcessor implements ReflectiveProcessor {

	@Override
	public void registerReflectionHints(ReflectionHints hints, AnnotatedElement element) {
		if (element instanceof Method method) {
			register(hints, method, method.getDeclaringClass(), element);
		}
		else if (element instanceof Class<?> type) {
			for (Method method : type.getMethods()) {
				if (method.getDeclaringClass() != Object.class) {
					register(hints, method, type, element);
				}
			}
		}
	}

	private static void register(ReflectionHints hints, Method method, Class<?> type, AnnotatedElement annotated) {
		hints.registerMethod(method, ExecutableMode.INVOKE);
		readable(hints, type);
		for (Class<?> parameter : method.getParameterTypes()) {
			readable(hints, parameter);
		}
		DistributedLock values = AnnotatedElementUtils.findMergedAnnotation(annotated, DistributedLock.class);
		if (values != null && !values.fallback().isEmpty()) {
			for (Method candidate : ReflectionUtils.getUniqueDeclaredMethods(type)) {
				if (candidate.getName().equals(values.fallback())) {
					hints.registerMethod(candidate, ExecutableMode.INVOKE);
				}
			}
		}
	}

	/** Register the members that SpEL reads: getters, methods and public fields. */
	private static void readable(ReflectionHints hints, Class<?> type) {
		if (!ClassUtils.isPrimitiveOrWrapper(type) && !type.isArray()) {
			hints.registerType(type, MemberCategory.INVOKE_PUBLIC_METHODS, MemberCategory.ACCESS_PUBLIC_FIELDS);
		}
	}

}
