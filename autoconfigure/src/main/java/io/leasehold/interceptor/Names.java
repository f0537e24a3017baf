package io.leasehold.interceptor;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;

import org.springframework.util.ClassUtils;

/**
 * Default names of locks, in metrics and messages of a lock.
 */
final class Names {

	private Names() {
	}

	/** Class and method, such as {@code OrderService.pay}. */
	static String of(Class<?> type, Method method) {
		// The class of a JDK proxy has a number for a name
		return of(Proxy.isProxyClass(type) ? method.getDeclaringClass() : type) + "." + method.getName();
	}

	private static String of(Class<?> type) {
		String name = ClassUtils.getUserClass(type).getSimpleName();
		return name.isEmpty() ? ClassUtils.getShortName(type) : name;
	}

}
