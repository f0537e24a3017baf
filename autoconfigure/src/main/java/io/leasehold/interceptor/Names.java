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

	/**
	 * Return class and method, such as {@code OrderService.pay}.
	 * @param type class of the bean
	 * @param declared the annotated method, whose interface stands for a JDK proxy: the
	 * class of that has a number for a name
	 */
	static String of(Class<?> type, Method declared) {
		return of(Proxy.isProxyClass(type) ? declared.getDeclaringClass() : type) + "." + declared.getName();
	}

	private static String of(Class<?> type) {
		String name = ClassUtils.getUserClass(type).getSimpleName();
		return name.isEmpty() ? ClassUtils.getShortName(type) : name;
	}

}
