package io.leasehold.interceptor;

import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.leasehold.DistributedLocks;
import io.leasehold.HeldLock;
import io.leasehold.annotation.DistributedLock;
import io.leasehold.test.contract.Fault;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.framework.ProxyFactoryBean;
import org.springframework.aop.framework.autoproxy.DefaultAdvisorAutoProxyCreator;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.config.BeanDefinitionHolder;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.beans.factory.support.BeanDefinitionBuilder;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.support.GenericApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * A table of the ways to make a bean, and of the places of an annotation: an annotated
 * method runs under its lock, or the bean is rejected, but never runs without the lock.
 */
@Fault(169)
class ProxiedBeansTests {

	@ParameterizedTest(name = "{0}, {1}")
	@MethodSource("cells")
	void annotatedMethodIsLockedOrItsBeanIsRejected(Way way, Place place) {
		application(way, place).run((context) -> {
			if (way.expected(place) == Outcome.LOCKED) {
				assertThat(context.getBean("bean", Body.class).isLocked()).isTrue();
			}
			else {
				Locked.refusal(catchThrowable(() -> context.getBean("bean", Body.class)))
					.hasMessageContaining("runs without its lock: bean 'bean'");
			}
		});
	}

	/** Such as a default method of a repository's interface. */
	@ParameterizedTest(name = "{0}, {1}")
	@MethodSource("lockedCells")
	void fallbackOfTheInterfaceIsCalled(Way way, Place place) {
		application(way, place).run((context) -> Locked.whileHeld(context.getBean(DistributedLocks.class), "body",
				() -> assertThat(context.getBean("bean", Body.class).isLocked()).isTrue()));
	}

	private static ApplicationContextRunner application(Way way, Place place) {
		return Locked.runner()
			.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class))
			.withPropertyValues("spring.aop.proxy-target-class=" + (way != Way.INTERFACE_PROXY))
			.withInitializer((context) -> way.register((GenericApplicationContext) context, place));
	}

	static Stream<Arguments> lockedCells() {
		return cells().filter((cell) -> ((Way) cell.get()[0]).expected((Place) cell.get()[1]) == Outcome.LOCKED);
	}

	static Stream<Arguments> cells() {
		return Arrays.stream(Way.values())
			.flatMap((way) -> Arrays.stream(Place.values())
				.filter((place) -> way.expected(place) != Outcome.UNKNOWN)
				.map((place) -> Arguments.of(way, place)));
	}

	enum Outcome {

		LOCKED, REJECTED,

		/** The annotated class is no bean, and no proxy of a bean shows it. */
		UNKNOWN

	}

	/** Where the annotation is. */
	enum Place {

		METHOD_OF_CLASS(OnMethod.class, OnMethodImpl::new), CLASS(OnClass.class, OnClassImpl::new),
		METHOD_OF_INTERFACE(OnInterfaceMethod.class, OnInterfaceMethodImpl::new),
		INTERFACE(OnInterface.class, OnInterfaceImpl::new);

		private final Class<? extends Body> contract;

		private final Supplier<Body> bean;

		Place(Class<? extends Body> contract, Supplier<Body> bean) {
			this.contract = contract;
			this.bean = bean;
		}

		@SuppressWarnings("unchecked")
		Class<Body> type() {
			return (Class<Body>) this.bean.get().getClass();
		}

		boolean isOfInterface() {
			return this == METHOD_OF_INTERFACE || this == INTERFACE;
		}

		Body handMade() {
			Body target = this.bean.get();
			return (Body) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] { this.contract },
					(proxy, method, arguments) -> method.invoke(target, arguments));
		}

		Body proxy(boolean ofClass, boolean opaque) {
			ProxyFactory factory = new ProxyFactory();
			configure(factory, ofClass, opaque);
			return (Body) factory.getProxy();
		}

		void configure(org.springframework.aop.framework.AdvisedSupport factory, boolean ofClass, boolean opaque) {
			factory.setTarget(this.bean.get());
			factory.setProxyTargetClass(ofClass);
			factory.setOpaque(opaque);
			if (!ofClass) {
				factory.setInterfaces(this.contract);
			}
		}

	}

	/** How the bean is made. */
	enum Way {

		CLASS_PROXY, INTERFACE_PROXY {

			@Override
			Outcome expected(Place place) {
				return Outcome.LOCKED;
			}

		},

		LAZY {

			@Override
			void customize(AbstractBeanDefinition definition) {
				definition.setLazyInit(true);
			}

		},

		PROTOTYPE {

			@Override
			void customize(AbstractBeanDefinition definition) {
				definition.setScope("prototype");
			}

		},

		SCOPED_CLASS_PROXY {

			@Override
			void register(GenericApplicationContext context, Place place) {
				scoped(context, place, true);
			}

		},

		SCOPED_INTERFACE_PROXY {

			@Override
			void register(GenericApplicationContext context, Place place) {
				scoped(context, place, false);
			}

		},

		/** An auto-proxy creator whose proxies cannot be inspected. */
		OPAQUE_CREATOR {

			@Override
			void register(GenericApplicationContext context, Place place) {
				super.register(context, place);
				context.registerBean(DefaultAdvisorAutoProxyCreator.class, () -> {
					DefaultAdvisorAutoProxyCreator creator = new DefaultAdvisorAutoProxyCreator();
					creator.setOpaque(true);
					return creator;
				});
			}

		},

		FACTORY_BEAN {

			@Override
			void register(GenericApplicationContext context, Place place) {
				factory(context, place.type(), place.bean);
			}

		},

		FACTORY_BEAN_OF_HAND_MADE_PROXY {

			@Override
			void register(GenericApplicationContext context, Place place) {
				factory(context, place.contract, place::handMade);
			}

			@Override
			Outcome expected(Place place) {
				return place.isOfInterface() ? Outcome.LOCKED : Outcome.UNKNOWN;
			}

		},

		FACTORY_BEAN_OF_INTERFACE_PROXY {

			@Override
			void register(GenericApplicationContext context, Place place) {
				factory(context, place.contract, () -> place.proxy(false, false));
			}

			@Override
			Outcome expected(Place place) {
				return place.isOfInterface() ? Outcome.LOCKED : Outcome.REJECTED;
			}

		},

		FACTORY_BEAN_OF_CLASS_PROXY {

			@Override
			void register(GenericApplicationContext context, Place place) {
				factory(context, place.type(), () -> place.proxy(true, false));
			}

		},

		FACTORY_BEAN_OF_OPAQUE_INTERFACE_PROXY {

			@Override
			void register(GenericApplicationContext context, Place place) {
				factory(context, place.contract, () -> place.proxy(false, true));
			}

			@Override
			Outcome expected(Place place) {
				return place.isOfInterface() ? Outcome.LOCKED : Outcome.UNKNOWN;
			}

		},

		FACTORY_BEAN_OF_OPAQUE_CLASS_PROXY {

			@Override
			void register(GenericApplicationContext context, Place place) {
				factory(context, place.type(), () -> place.proxy(true, true));
			}

		},

		PROXY_FACTORY_BEAN_OF_INTERFACE {

			@Override
			void register(GenericApplicationContext context, Place place) {
				proxyFactory(context, place, false);
			}

			@Override
			Outcome expected(Place place) {
				return place.isOfInterface() ? Outcome.LOCKED : Outcome.REJECTED;
			}

		},

		PROXY_FACTORY_BEAN_OF_CLASS {

			@Override
			void register(GenericApplicationContext context, Place place) {
				proxyFactory(context, place, true);
			}

		},

		INTERFACE_PROXY_AS_BEAN {

			@Override
			void register(GenericApplicationContext context, Place place) {
				context.registerBean("bean", Body.class, () -> place.proxy(false, false));
			}

			@Override
			Outcome expected(Place place) {
				return place.isOfInterface() ? Outcome.LOCKED : Outcome.REJECTED;
			}

		},

		CLASS_PROXY_AS_BEAN {

			@Override
			void register(GenericApplicationContext context, Place place) {
				context.registerBean("bean", Body.class, () -> place.proxy(true, false));
			}

		},

		HAND_MADE_PROXY_AS_BEAN {

			@Override
			void register(GenericApplicationContext context, Place place) {
				context.registerBean("bean", Body.class, place::handMade);
			}

			@Override
			Outcome expected(Place place) {
				return place.isOfInterface() ? Outcome.LOCKED : Outcome.UNKNOWN;
			}

		};

		void register(GenericApplicationContext context, Place place) {
			context.registerBean("bean", place.type(), place.bean::get,
					(definition) -> customize((AbstractBeanDefinition) definition));
		}

		void customize(AbstractBeanDefinition definition) {
		}

		Outcome expected(Place place) {
			return Outcome.LOCKED;
		}

		private static void scoped(GenericApplicationContext context, Place place, boolean ofClass) {
			AbstractBeanDefinition definition = BeanDefinitionBuilder.rootBeanDefinition(place.type(), place.bean::get)
				.setScope("prototype")
				.getBeanDefinition();
			BeanDefinitionHolder proxy = ScopedProxyUtils
				.createScopedProxy(new BeanDefinitionHolder(definition, "bean"), context, ofClass);
			context.registerBeanDefinition("bean", proxy.getBeanDefinition());
		}

		private static void factory(GenericApplicationContext context, Class<? extends Body> type,
				Supplier<Body> product) {
			context.registerBean("bean", Product.class, () -> new Product(type, product));
		}

		private static void proxyFactory(GenericApplicationContext context, Place place, boolean ofClass) {
			context.registerBean("bean", ProxyFactoryBean.class, () -> {
				ProxyFactoryBean factory = new ProxyFactoryBean();
				place.configure(factory, ofClass, false);
				return factory;
			});
		}

	}

	static final class Product implements FactoryBean<Body> {

		private final Class<? extends Body> type;

		private final Supplier<Body> product;

		Product(Class<? extends Body> type, Supplier<Body> product) {
			this.type = type;
			this.product = product;
		}

		@Override
		public Body getObject() {
			return this.product.get();
		}

		@Override
		public Class<?> getObjectType() {
			return this.type;
		}

	}

	interface Body {

		boolean isLocked();

		/** The fallback. */
		default boolean instead() {
			return true;
		}

		static boolean locked() {
			try {
				return HeldLock.current().isValid();
			}
			catch (IllegalStateException ex) {
				return false;
			}
		}

	}

	interface OnMethod extends Body {

		@Override
		boolean isLocked();

	}

	static class OnMethodImpl implements OnMethod {

		@Override
		@DistributedLock(key = "'body'", fallback = "instead")
		public boolean isLocked() {
			return Body.locked();
		}

	}

	interface OnClass extends Body {

		@Override
		boolean isLocked();

	}

	@DistributedLock(key = "'body'", fallback = "instead")
	static class OnClassImpl implements OnClass {

		@Override
		public boolean isLocked() {
			return Body.locked();
		}

	}

	interface OnInterfaceMethod extends Body {

		@Override
		@DistributedLock(key = "'body'", fallback = "instead")
		boolean isLocked();

	}

	static class OnInterfaceMethodImpl implements OnInterfaceMethod {

		@Override
		public boolean isLocked() {
			return Body.locked();
		}

	}

	@DistributedLock(key = "'body'", fallback = "instead")
	interface OnInterface extends Body {

		@Override
		boolean isLocked();

	}

	static class OnInterfaceImpl implements OnInterface {

		@Override
		public boolean isLocked() {
			return Body.locked();
		}

	}

}
