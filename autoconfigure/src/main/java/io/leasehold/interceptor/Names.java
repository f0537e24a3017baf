package io.leasehold.interceptor;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;

import org.springframework.util.ClassUtils;

/**
 * Default names of locks in metrics and messages.
 */
final class Names {

	private Names() {
	}

	/**
	 * Return class and method, such as {@code OrderService.pay}.
	 * @param type class of the bean
	 * @param declared the annotated method; its interface names a JDK proxy, whose own
	 * class has a generated name
	 */
	static String of(Class<?> type, Method declared) {
		return of(Proxy.isProxyClass(type) ? declared.getDeclaringClass() : type) + "." + declared.getName();
	}

	private static String of(Class<?> type) {
		String name = ClassUtils.getUserClass(type).getSimpleName();
		return name.isEmpty() ? ClassUtils.getShortName(type) : name;
	}

}
