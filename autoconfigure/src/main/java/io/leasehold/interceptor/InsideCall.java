package io.leasehold.interceptor;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.List;

import io.leasehold.LockScope;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.Advisor;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AdvisedSupport;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.framework.ReflectiveMethodInvocation;
import org.springframework.aop.interceptor.ExposeInvocationInterceptor;

/**
 * Call of another method of the same object in the place of an advised call, without the
 * lock. The advice inside the lock, such as a transaction's, applies as the other method
 * requires. The advice outside the lock already surrounds the replaced call.
 */
final class InsideCall extends ReflectiveMethodInvocation {

	InsideCall(ProxyMethodInvocation replaced, Method method, Object[] arguments, LockScope scope) {
		this(replaced, method, arguments, scope, targetClass(replaced, method));
	}

	private InsideCall(ProxyMethodInvocation replaced, Method method, Object[] arguments, LockScope scope,
			Class<?> type) {
		super(replaced.getProxy(), target(replaced, method), method, arguments, type,
				advice(replaced.getProxy(), method, type, scope));
	}

	/** Return the target. A proxy of a class must override the method. */
	private static @Nullable Object target(ProxyMethodInvocation replaced, Method method) {
		Object target = replaced.getThis();
		boolean overridden = (method.getModifiers() & (Modifier.PRIVATE | Modifier.FINAL)) == 0;
		Object inner = (overridden || target == null) ? null : AopProxyUtils.getSingletonTarget(target);
		return method.getDeclaringClass().isInstance(inner) ? inner : target;
	}

	private static Class<?> targetClass(ProxyMethodInvocation replaced, Method method) {
		Object target = replaced.getThis();
		return (target != null) ? target.getClass() : method.getDeclaringClass();
	}

	/** Select the advice of a method. None is known if the proxy hides its advisors. */
	private static List<Object> advice(Object proxy, Method method, Class<?> type, LockScope scope) {
		AdvisedSupport inside = new AdvisedSupport();
		inside.addAdvisor(ExposeInvocationInterceptor.ADVISOR);
		boolean passed = false;
		for (Advisor advisor : (proxy instanceof Advised advised) ? advised.getAdvisors() : new Advisor[0]) {
			if (advisor instanceof ScopedAdvisor lock) {
				passed |= lock.scope() == scope;
			}
			else if (passed) {
				inside.addAdvisor(advisor);
			}
		}
		return inside.getInterceptorsAndDynamicInterceptionAdvice(method, type);
	}

}
