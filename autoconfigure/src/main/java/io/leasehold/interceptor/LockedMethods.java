package io.leasehold.interceptor;

import java.lang.reflect.Method;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.leasehold.annotation.DistributedLock;

import org.springframework.core.MethodIntrospector;
import org.springframework.core.MethodIntrospector.MetadataLookup;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.ClassUtils;

/**
 * Annotated methods of classes with their annotations, determined once per class.
 */
final class LockedMethods {

	private final ConcurrentHashMap<Class<?>, Map<Method, LockAnnotation>> known = new ConcurrentHashMap<>();

	boolean areIn(Class<?> type) {
		return !of(type).isEmpty();
	}

	Map<Method, LockAnnotation> of(Class<?> type) {
		Class<?> userClass = ClassUtils.getUserClass(type);
		return AnnotationUtils.isCandidateClass(userClass, DistributedLock.class)
				? this.known.computeIfAbsent(userClass, LockedMethods::find) : Map.of();
	}

	private static Map<Method, LockAnnotation> find(Class<?> type) {
		MetadataLookup<LockAnnotation> lookup = (method) -> LockAnnotation.find(method, type);
		return MethodIntrospector.selectMethods(type, lookup);
	}

}
