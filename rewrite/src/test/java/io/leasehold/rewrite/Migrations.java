package io.leasehold.rewrite;

import java.net.URI;
import java.nio.file.Path;

import io.leasehold.annotation.DistributedLock;
import org.openrewrite.java.JavaParser;
import org.openrewrite.test.RewriteTest;

import static org.openrewrite.java.Assertions.java;

/**
 * Sources before and after a recipe.
 */
final class Migrations {

	private Migrations() {
	}

	/** Return a parser that knows Leasehold, and other libraries by their jars. */
	static JavaParser.Builder<?, ?> parser(String... libraries) {
		Path leasehold = Path
			.of(URI.create(DistributedLock.class.getProtectionDomain().getCodeSource().getLocation().toString()));
		return JavaParser.fromJavaVersion().classpath(libraries).addClasspathEntry(leasehold);
	}

	/** Run a recipe, and again on its result, in which it changes nothing. */
	static void verify(RewriteTest test, String before, String after) {
		test.rewriteRun(java(before, after));
		test.rewriteRun(java(after));
	}

}
