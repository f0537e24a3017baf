package io.leasehold.key;

import java.lang.ref.WeakReference;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.support.StaticListableBeanFactory;
import org.springframework.core.OverridingClassLoader;
import org.springframework.util.ReflectionUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Expressions with types of the application, in threads whose context class loader does
 * not know them. In an executable jar, these are the threads of the common pool.
 */
class KeyClassLoaderTests {

	private static final String TYPE = KeyClassLoaderTests.class.getName() + "$Names";

	@ParameterizedTest
	@ValueSource(strings = { "T(%s).of(#id)", "T(%s).PREFIX + #id", "new %s('k').text() + #id", "'' + T(%s).KIND + #id",
			"#id instanceof T(%s) ? 'x' : 'k' + #id", "#root.args.![T(%s).of(#this)]" })
	void typesOfTheApplicationAreFound(String expression) {
		KeyExpression key = new KeyParser(new StaticListableBeanFactory()).parse(expression.formatted(TYPE),
				ReflectionUtils.findMethod(Names.class, "call", int.class),
				ReflectionUtils.findMethod(Names.class, "call", int.class), Names.class);
		Object[] arguments = { 1 };
		assertThat(inForeignThread(() -> key.evaluate(null, arguments).toString())).isEqualTo("k1");
		assertThat(key.evaluate(null, arguments)).hasToString("k1");
	}

	@ParameterizedTest
	@ValueSource(strings = { "T(%s).PREFIX == 'k'", "!(#id instanceof T(%s))" })
	void conditionsFindThem(String expression) {
		LockCondition condition = new KeyParser(new StaticListableBeanFactory()).parseCondition(
				expression.formatted(TYPE), ReflectionUtils.findMethod(Names.class, "call", int.class),
				ReflectionUtils.findMethod(Names.class, "call", int.class), Names.class);
		assertThat(inForeignThread(() -> condition.holds(null, new Object[] { 1 }))).isEqualTo(true);
	}

	/**
	 * A server that deploys an application again drops the class loader of the former
	 * one.
	 */
	@Test
	void typesOfTheJdkDoNotKeepTheLibraryLoaded() throws Exception {
		WeakReference<ClassLoader> library = libraryThatReadsKeys();
		await().until(() -> {
			System.gc();
			return library.refersTo(null);
		});
	}

	private static WeakReference<ClassLoader> libraryThatReadsKeys() throws ReflectiveOperationException {
		ClassLoader loader = new OverridingClassLoader(KeyText.class.getClassLoader()) {
			@Override
			protected boolean isEligibleForOverriding(String className) {
				return className.startsWith("io.leasehold.");
			}
		};
		Class<?> texts = loader.loadClass(KeyText.class.getName());
		assertThat(texts.getMethod("of", Object.class, String.class).invoke(null, new UUID(0, 1), "The id"))
			.hasToString("00000000-0000-0000-0000-000000000001");
		return new WeakReference<>(loader);
	}

	private static @Nullable Object inForeignThread(java.util.function.Supplier<Object> action) {
		CompletableFuture<Object> result = new CompletableFuture<>();
		Thread thread = new Thread(() -> result.completeAsync(action, Runnable::run));
		thread.setContextClassLoader(new ClassLoader(null) {
		});
		thread.start();
		return result.handle((value, failure) -> (failure != null) ? failure : value).join();
	}

	public static class Names {

		public static final String PREFIX = "k";

		public static final Kind KIND = Kind.k;

		private final String text;

		public Names(String text) {
			this.text = text;
		}

		public String text() {
			return this.text;
		}

		public static String of(int id) {
			return "k" + id;
		}

		public void call(int id) {
		}

	}

	public enum Kind {

		k

	}

}
