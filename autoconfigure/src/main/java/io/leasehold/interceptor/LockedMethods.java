package io.leasehold.interceptor;

import java.lang.reflect.Method;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.leasehold.annotation.DistributedLock;

import org.springframework.core.MethodIntrospector;
import org.springframework.core.MethodIntrospector.MetadataLookup;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.ClassUtils;

/**
 * Annotated methods of classes, determined once per class.
 */
final class LockedMethods {

	private final ConcurrentHashMap<Class<?>, Set<Method>> known = new ConcurrentHashMap<>();

	boolean areIn(Class<?> type) {
		return !of(type).isEmpty();
	}

	Set<Method> of(Class<?> type) {
		Class<?> userClass = ClassUtils.getUserClass(type);
		return AnnotationUtils.isCandidateClass(userClass, DistributedLock.class)
				? this.known.computeIfAbsent(userClass, LockedMethods::find) : Set.of();
	}

	private static Set<Method> find(Class<?> type) {
		MetadataLookup<Boolean> lookup = (method) -> contains(method, type) ? Boolean.TRUE : null;
		return Set.copyOf(MethodIntrospector.selectMethods(type, lookup).keySet());
	}

	static boolean contains(Method method, Class<?> type) {
		return LockAnnotation.find(method, type) != null;
	}

}
