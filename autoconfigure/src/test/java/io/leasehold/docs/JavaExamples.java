package io.leasehold.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/**
 * The Java examples of pages, compiled as a reader would who knows what to import. A
 * block that declares a type is a source file; one that declares methods is put into a
 * class, and other code into a method, of a subclass of {@link Snippet}.
 */
final class JavaExamples {

	private static final Pattern TYPE = Pattern
		.compile("(?m)^((public|final|abstract|sealed) )*(class|interface|record|enum|@interface) .*");

	private static final Pattern METHOD = Pattern
		.compile("(?m)^(?!try|if|for|while|switch|synchronized)[\\w<][\\w<>\\[\\], ?]* \\w+\\(.*\\).* \\{$");

	/** On one line, so that lines can be counted. */
	private static final String IMPORTS = """
			import java.time.*; import java.util.*; import java.util.concurrent.*;
			import java.util.concurrent.locks.Lock; import java.util.function.*; import java.lang.annotation.*;
			import io.leasehold.*; import io.leasehold.annotation.*; import io.leasehold.event.*;
			import io.leasehold.docs.*; import io.leasehold.engine.local.*; import io.leasehold.reactive.*;
			import org.springframework.data.redis.connection.*; import org.springframework.data.redis.connection.lettuce.*;
			import reactor.core.publisher.*;
			import org.slf4j.*;
			import org.springframework.boot.*; import org.springframework.boot.autoconfigure.*;
			import org.springframework.context.annotation.*; import org.springframework.context.event.EventListener;
			import org.springframework.core.annotation.AliasFor; import org.springframework.jdbc.core.simple.*;
			import org.springframework.scheduling.annotation.*; import org.springframework.stereotype.*;
			import org.springframework.transaction.annotation.*; import org.springframework.transaction.support.*;
			import static org.assertj.core.api.Assertions.*; import org.junit.jupiter.api.Test;
			import org.springframework.beans.factory.annotation.*; import org.springframework.boot.test.context.*;
			"""
		.replace('\n', ' ');

	private final List<Source> sources;

	JavaExamples(List<Page> pages) {
		this.sources = pages.stream()
			.flatMap((page) -> page.blocks("java").stream().map((block) -> new Source(page, block)))
			.toList();
	}

	int count() {
		return this.sources.size();
	}

	/**
	 * Compile all examples.
	 * @param folder where the classes go
	 * @return what the compiler finds fault with
	 */
	List<String> compile(Path folder) {
		JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
		DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
		String classPath = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
		List<String> options = List.of("-d", folder.toString(), "-cp", classPath, "-proc:none", "-parameters",
				"-Xlint:deprecation,removal,unchecked");
		compiler.getTask(null, null, found, options, null, this.sources).call();
		List<String> faults = new ArrayList<>();
		for (Diagnostic<? extends JavaFileObject> fault : found.getDiagnostics()) {
			if (fault.getSource() instanceof Source source) {
				faults.add(source.describe(fault));
			}
		}
		return faults;
	}

	/**
	 * Load a class of a compiled example.
	 * @param folder where the classes are
	 * @param name simple name of the class
	 */
	Class<?> load(Path folder, String name) {
		Source source = this.sources.stream()
			.filter((candidate) -> candidate.block.text()
				.matches("(?s).*\\b(class|record|interface) %s\\b.*".formatted(name)))
			.findFirst()
			.orElseThrow();
		try {
			// Not closed, as classes are loaded later on
			URLClassLoader loader = new URLClassLoader(new URL[] { folder.toUri().toURL() },
					JavaExamples.class.getClassLoader());
			return loader.loadClass(source.packageName() + "." + name);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (ClassNotFoundException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/** A block as a source file. */
	private static final class Source extends SimpleJavaFileObject {

		private final Page page;

		private final Page.Block block;

		Source(Page page, Page.Block block) {
			super(URI.create("manual:///%s/%d/Example.java".formatted(page.name(), block.line())), Kind.SOURCE);
			this.page = page;
			this.block = block;
		}

		String packageName() {
			return "manual.%s.line%d".formatted(this.page.name().replaceAll("\\W+", "_"), this.block.line());
		}

		@Override
		public boolean isNameCompatible(String simpleName, Kind kind) {
			return kind == Kind.SOURCE;
		}

		@Override
		public CharSequence getCharContent(boolean ignoreEncodingErrors) {
			String text = this.block.text();
			String head = "package %s; %s".formatted(packageName(), IMPORTS);
			if (text.startsWith("package ")) {
				return "\n" + text.replaceFirst("package [\\w.]+;", "package %s;".formatted(packageName()));
			}
			if (TYPE.matcher(text).find()) {
				return head + "\n" + text;
			}
			if (METHOD.matcher(text).find()) {
				return head + "class Example extends Snippet {\n" + text + "\n}";
			}
			return head + "class Example extends Snippet { void example() throws Exception {\n" + text + "\n} }";
		}

		String describe(Diagnostic<?> fault) {
			return "%s:%d: %s".formatted(this.page, this.block.line() + fault.getLineNumber() - 1,
					fault.getMessage(null));
		}

	}

}
