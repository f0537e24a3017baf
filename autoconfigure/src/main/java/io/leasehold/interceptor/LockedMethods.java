package io.leasehold.interceptor;

import java.io.IOException;
import java.lang.reflect.Method;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.leasehold.annotation.DistributedLock;

import org.springframework.core.MethodIntrospector;
import org.springframework.core.MethodIntrospector.MetadataLookup;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.core.type.classreading.MetadataReaderFactory;
import org.springframework.core.type.classreading.SimpleMetadataReaderFactory;
import org.springframework.util.ClassUtils;

/**
 * Annotated methods of classes with their annotations, determined once per class.
 */
final class LockedMethods {

	private static final String LOCK = DistributedLock.class.getName();

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
		try {
			return MethodIntrospector.selectMethods(type, lookup);
		}
		catch (IllegalStateException ex) {
			if (lacksType(ex) && !isAnnotated(type)) {
				return Map.of();
			}
			throw ex;
		}
	}

	/**
	 * Return whether a class cannot be searched for methods, because it refers to one
	 * that is absent, such as one of an optional library.
	 */
	static boolean lacksType(Throwable failure) {
		Throwable root = NestedExceptionUtils.getMostSpecificCause(failure);
		return root instanceof LinkageError || root instanceof ClassNotFoundException;
	}

	/** Search the class files, which does not load the types of the methods. */
	private static boolean isAnnotated(Class<?> type) {
		MetadataReaderFactory files = new SimpleMetadataReaderFactory(type.getClassLoader());
		Set<Class<?>> hierarchy = new LinkedHashSet<>(ClassUtils.getAllInterfacesForClassAsSet(type));
		for (Class<?> part = type; part != null; part = part.getSuperclass()) {
			hierarchy.add(part);
		}
		try {
			for (Class<?> part : hierarchy) {
				AnnotationMetadata annotations = files.getMetadataReader(part.getName()).getAnnotationMetadata();
				if (annotations.isAnnotated(LOCK) || annotations.hasAnnotatedMethods(LOCK)) {
					return true;
				}
			}
			return false;
		}
		catch (IOException ex) {
			return true; // unknown
		}
	}

}
