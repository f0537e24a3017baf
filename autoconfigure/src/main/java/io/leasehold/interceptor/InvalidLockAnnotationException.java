package io.leasehold.interceptor;

import java.lang.reflect.Method;

import io.leasehold.key.MethodName;
import org.jspecify.annotations.Nullable;

/**
 * Exception thrown at startup, or when the bean is created, if an annotated method cannot
 * run under its lock as written.
 */
public class InvalidLockAnnotationException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private final transient @Nullable Method method;

	private final Class<?> type;

	private final String description;

	private final String action;

	InvalidLockAnnotationException(Class<?> type, @Nullable Method method, String problem, String action,
			@Nullable Throwable cause) {
		super("%s %s. %s".formatted(MethodName.of(type, method), problem, action), cause);
		this.type = type;
		this.method = method;
		this.description = "%s %s.".formatted(MethodName.of(type, method), problem);
		this.action = action;
	}

	/** Return the class of the bean, as the user wrote it. */
	public Class<?> getType() {
		return this.type;
	}

	/** Return the method, or {@code null} if the problem concerns the whole class. */
	public @Nullable Method getMethod() {
		return this.method;
	}

	/** Return the problem, a sentence that begins with class and method. */
	public String getDescription() {
		return this.description;
	}

	/** Return the correction to make, in one or more sentences. */
	public String getAction() {
		return this.action;
	}

}
