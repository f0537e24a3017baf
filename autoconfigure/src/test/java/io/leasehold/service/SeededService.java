package io.leasehold.service;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.StringWriter;
import java.lang.annotation.Annotation;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

import io.leasehold.Proof;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.platform.commons.support.AnnotationSupport;
import org.junit.platform.commons.support.HierarchyTraversalMode;
import org.junit.platform.commons.support.ReflectionSupport;

import org.springframework.util.Assert;

/**
 * The library and its tests, loaded apart from the real ones, with a bug in one class:
 * that is compiled from its source with one snippet replaced.
 */
public final class SeededService extends ClassLoader {

	private static final String LIBRARY = "io.leasehold.";

	private static final JavaCompiler COMPILER = ToolProvider.getSystemJavaCompiler();

	/** Shared, since it reads each jar of the class path once. */
	private static final StandardJavaFileManager FILES = COMPILER.getStandardFileManager(null, null, null);

	private final Map<String, byte[]> compiled = new ConcurrentHashMap<>();

	/** Load the library without a bug. */
	public SeededService() {
		super(SeededService.class.getClassLoader());
	}

	/** Load the library with a bug. */
	public SeededService(Bug bug) throws IOException {
		this();
		compile(bug.className(), source(bug));
	}

	/**
	 * Require that a test fails with a bug.
	 * @param soon how long the test waits for its conditions
	 * @param test its class and its method
	 */
	public static void requireFailure(Bug bug, Duration soon, String test) {
		Awaitility.setDefaultTimeout(soon);
		try {
			Proof.requireFailure(() -> new SeededService(bug).run(test));
		}
		finally {
			Awaitility.setDefaultTimeout(Duration.ofMinutes(1));
		}
	}

	/**
	 * Run a test against this library.
	 * @param test its class and its method
	 */
	public void run(String test) throws ClassNotFoundException {
		int end = test.lastIndexOf('.');
		Class<?> loaded = loadClass(test.substring(0, end));
		Object instance = ReflectionSupport.newInstance(loaded);
		invokeAll(instance, BeforeEach.class);
		try {
			ReflectionSupport.invokeMethod(ReflectionSupport.findMethod(loaded, test.substring(end + 1)).orElseThrow(),
					instance);
		}
		finally {
			invokeAll(instance, AfterEach.class);
		}
	}

	private static void invokeAll(Object instance, Class<? extends Annotation> annotation) {
		ReflectionSupport
			.findMethods(instance.getClass(), (method) -> AnnotationSupport.isAnnotated(method, annotation),
					HierarchyTraversalMode.BOTTOM_UP)
			.forEach((method) -> ReflectionSupport.invokeMethod(method, instance));
	}

	/** Write the classes that have the bug, for a class path. */
	void writeTo(Path directory) throws IOException {
		for (Map.Entry<String, byte[]> type : this.compiled.entrySet()) {
			Path file = directory.resolve(type.getKey().replace('.', '/') + ".class");
			Files.createDirectories(file.getParent());
			Files.write(file, type.getValue());
		}
	}

	private static String source(Bug bug) throws IOException {
		String source = Files.readString(Path.of("src/main/java", bug.className().replace('.', '/') + ".java"));
		String snippet = Stream.of(bug.snippet.split(" ")).map(Pattern::quote).collect(Collectors.joining("\\s+"));
		String[] parts = source.split(snippet, -1);
		Assert.state(parts.length == 2, () -> "'%s' occurs %d times in %s, not once: choose another snippet"
			.formatted(bug.snippet, parts.length - 1, bug.className()));
		return parts[0] + bug.replacement + parts[1];
	}

	private void compile(String type, String source) {
		StringWriter messages = new StringWriter();
		String classPath = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
		boolean done = COMPILER
			.getTask(messages, new InMemory(FILES), null, List.of("-cp", classPath, "-proc:none", "-parameters"), null,
					List.of(new Source(type, source)))
			.call();
		Assert.state(done, () -> "%s does not compile with its bug: %s".formatted(type, messages));
	}

	@Override
	protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
		if (!name.startsWith(LIBRARY)) {
			return super.loadClass(name, resolve);
		}
		synchronized (getClassLoadingLock(name)) {
			Class<?> loaded = findLoadedClass(name);
			return (loaded != null) ? loaded : findClass(name);
		}
	}

	@Override
	protected Class<?> findClass(String name) throws ClassNotFoundException {
		byte[] code = this.compiled.get(name);
		try (InputStream real = getResourceAsStream(name.replace('.', '/') + ".class")) {
			if (code == null && real == null) {
				throw new ClassNotFoundException(name);
			}
			byte[] found = (code != null) ? code : real.readAllBytes();
			return defineClass(name, found, 0, found.length);
		}
		catch (IOException ex) {
			throw new ClassNotFoundException(name, ex);
		}
	}

	/**
	 * A snippet in place of another.
	 *
	 * @param description what goes wrong
	 * @param type name of the class that has it, in full or from the package of the
	 * service on
	 * @param snippet what is replaced in its source, found there exactly once; blanks
	 * stand for any white space
	 * @param replacement what is there instead
	 */
	public record Bug(String description, String type, String snippet, String replacement) {

		String className() {
			return this.type.startsWith(LIBRARY) ? this.type : SeededService.class.getPackageName() + "." + this.type;
		}

		@Override
		public String toString() {
			return this.description;
		}

	}

	private static final class Source extends SimpleJavaFileObject {

		private final String text;

		Source(String type, String text) {
			super(URI.create("seeded:///" + type.replace('.', '/') + ".java"), Kind.SOURCE);
			this.text = text;
		}

		@Override
		public CharSequence getCharContent(boolean ignoreEncodingErrors) {
			return this.text;
		}

	}

	/** Keeps the classes that the compiler makes. */
	private final class InMemory extends ForwardingJavaFileManager<JavaFileManager> {

		InMemory(JavaFileManager files) {
			super(files);
		}

		@Override
		public JavaFileObject getJavaFileForOutput(Location location, String name, JavaFileObject.Kind kind,
				FileObject sibling) {
			return new SimpleJavaFileObject(URI.create("seeded:///" + name + kind.extension), kind) {
				@Override
				public OutputStream openOutputStream() {
					return new ByteArrayOutputStream() {
						@Override
						public void close() {
							SeededService.this.compiled.put(name, toByteArray());
						}
					};
				}
			};
		}

	}

}
