package io.leasehold.interceptor;

import java.util.concurrent.atomic.AtomicBoolean;

import io.leasehold.LockScope;
import io.leasehold.annotation.DistributedLock;
import io.leasehold.key.KeyParser;
import org.junit.jupiter.api.Test;

import org.springframework.aop.TargetSource;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.target.HotSwappableTargetSource;
import org.springframework.aop.target.SingletonTargetSource;
import org.springframework.beans.factory.support.StaticListableBeanFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link ProxyChecks#hasAdvice}: a bean that escaped the lock's advice is found
 * behind any number of proxies, as far as they can be inspected.
 */
class ProxyChecksTests {

	private final LockOperationSource operations = new LockOperationSource(() -> {
		throw new AssertionError("Not needed");
	}, new KeyParser(new StaticListableBeanFactory()), (value) -> value,
			new TransactionGuards(() -> null, () -> null, () -> null), UnavailablePolicy.FAIL, () -> null);

	@Test
	void beanWithoutAProxyHasNoAdvice() {
		assertThat(ProxyChecks.hasAdvice(new Good())).isFalse();
	}

	@Test
	void otherProxiesAloneAreNoAdvice() {
		Object inner = new ProxyFactory(new Good()).getProxy();
		assertThat(ProxyChecks.hasAdvice(inner)).isFalse();
		assertThat(ProxyChecks.hasAdvice(new ProxyFactory(inner).getProxy())).isFalse();
	}

	@Test
	void adviceIsFoundInTheOuterAndInTheInnerProxy() {
		Object locked = locked(new SingletonTargetSource(new Good()));
		assertThat(ProxyChecks.hasAdvice(locked)).isTrue();
		assertThat(ProxyChecks.hasAdvice(new ProxyFactory(locked).getProxy())).isTrue();
		assertThat(ProxyChecks.hasAdvice(locked(new SingletonTargetSource(new ProxyFactory(new Good()).getProxy()))))
			.isTrue();
	}

	/** Its target may be another one at the next call. */
	@Test
	void proxyWithAChangingTargetIsNotInspected() {
		assertThat(ProxyChecks.hasAdvice(proxy(new HotSwappableTargetSource(new Good())))).isTrue();
	}

	@Test
	void proxyWhoseTargetIsUnknownIsNotInspected() {
		AtomicBoolean gone = new AtomicBoolean();
		Object proxy = proxy(new SingletonTargetSource(new Good()) {

			@Override
			public Object getTarget() {
				if (gone.get()) {
					throw new IllegalStateException("no target now");
				}
				return super.getTarget();
			}

		});
		gone.set(true);
		assertThat(ProxyChecks.hasAdvice(proxy)).isTrue();
	}

	@Test
	void opaqueProxyIsNotInspected() {
		ProxyFactory factory = new ProxyFactory(new Good());
		factory.setOpaque(true);
		assertThat(ProxyChecks.hasAdvice(factory.getProxy())).isTrue();
	}

	private Object locked(TargetSource target) {
		ProxyFactory factory = factory(target);
		factory.addAdvisor(new LockAdvisor(this.operations, new LockInterceptor(this.operations, () -> {
			throw new AssertionError("Not needed");
		}, new BodyThreads(() -> null, 1), OnCancel.EXPIRE), LockScope.METHOD, 0));
		return factory.getProxy();
	}

	private static Object proxy(TargetSource target) {
		return factory(target).getProxy();
	}

	private static ProxyFactory factory(TargetSource target) {
		ProxyFactory factory = new ProxyFactory();
		factory.setTargetClass(Good.class);
		factory.setTargetSource(target);
		factory.setProxyTargetClass(true);
		return factory;
	}

	static class Good {

		@DistributedLock(key = "'good'")
		public void run() {
		}

	}

}
