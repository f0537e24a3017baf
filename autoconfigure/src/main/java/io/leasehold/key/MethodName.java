package io.leasehold.key;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import org.springframework.core.KotlinDetector;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Name of a method for messages: the class with its package, and the parameter types if
 * the class overloads the method.
 */
public final class MethodName {

	private static final Pattern MANGLED = Pattern.compile("(-[\\w-]{7})?(\\$\\w+)?$");

	private MethodName() {
	}

	/**
	 * Return the name of a method.
	 * @param method the method, or {@code null} for the class
	 * @return such as {@code com.shop.OrderService.pay}, or
	 * {@code com.shop.OrderService.pay(long, String)} if there is another {@code pay}
	 */
	public static String of(Class<?> type, @Nullable Method method) {
		if (method == null) {
			return ClassUtils.getUserClass(type).getName();
		}
		Class<?> owner = owner(type, method);
		String name = owner.getName() + "." + written(method);
		return isOverloaded(owner, method) ? name + "(" + types(method) + ")" : name;
	}

	/**
	 * Return the class that names a method: that of the bean, unless its name is
	 * generated.
	 * @param type class of the bean
	 * @param method the method
	 * @return a class that the user wrote; for a JDK proxy and for a lambda, its
	 * interface that declares or inherits the method
	 */
	public static Class<?> owner(Class<?> type, Method method) {
		if (!(Proxy.isProxyClass(type) || type.isHidden())) {
			return ClassUtils.getUserClass(type);
		}
		Class<?> declaring = ClassUtils.getInterfaceMethodIfPossible(method, type).getDeclaringClass();
		return Arrays.stream(type.getInterfaces()).filter(declaring::isAssignableFrom).findFirst().orElse(declaring);
	}

	/**
	 * Return the simple name of a method as it was written. Kotlin's compiler appends a
	 * hash if a parameter is a value class, and the module if the function is internal.
	 */
	public static String written(Method method) {
		String name = method.getName();
		return KotlinDetector.isKotlinType(method.getDeclaringClass()) ? MANGLED.matcher(name).replaceFirst("") : name;
	}

	private static boolean isOverloaded(Class<?> type, Method method) {
		return Arrays.stream(ReflectionUtils.getUniqueDeclaredMethods(type))
			.filter((candidate) -> written(candidate).equals(written(method)) && !candidate.isSynthetic())
			.count() > 1;
	}

	private static String types(Method method) {
		return Arrays.stream(method.getParameterTypes()).map(Class::getSimpleName).collect(Collectors.joining(", "));
	}

}
