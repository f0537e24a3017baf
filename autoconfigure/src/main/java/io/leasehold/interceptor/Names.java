package io.leasehold.interceptor;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;

import org.jspecify.annotations.Nullable;

import org.springframework.util.ClassUtils;

/**
 * How classes and methods are named, in metrics and messages alike.
 */
final class Names {

	private Names() {
	}

	/** Class and method, such as {@code OrderService.pay}. */
	static String of(Class<?> type, @Nullable Method method) {
		if (method == null) {
			return of(type);
		}
		// The class of a JDK proxy has a number for a name
		return of(Proxy.isProxyClass(type) ? method.getDeclaringClass() : type) + "." + method.getName();
	}

	private static String of(Class<?> type) {
		String name = ClassUtils.getUserClass(type).getSimpleName();
		return name.isEmpty() ? ClassUtils.getShortName(type) : name;
	}

}
