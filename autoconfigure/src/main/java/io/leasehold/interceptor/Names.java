package io.leasehold.interceptor;

import java.lang.reflect.Method;

import io.leasehold.key.MethodName;

import org.springframework.util.ClassUtils;

/**
 * Default names of locks in metrics and messages.
 */
final class Names {

	private Names() {
	}

	/** Return class and method, such as {@code OrderService.pay}. */
	static String of(Class<?> type, Method declared) {
		Class<?> owner = MethodName.owner(type, declared);
		String name = owner.getSimpleName();
		return (name.isEmpty() ? ClassUtils.getShortName(owner) : name) + "." + declared.getName();
	}

}
