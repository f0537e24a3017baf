package io.leasehold.interceptor;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import javax.tools.ToolProvider;

/**
 * Classes of beans that a test writes as text.
 */
final class CompiledBeans {

	private CompiledBeans() {
	}

	/**
	 * Compile classes.
	 * @param directory place for their files, which is not used for others
	 * @param sources sources by the names of their classes
	 * @param parent loader of the classes that they use
	 */
	static URLClassLoader load(Path directory, Map<String, String> sources, ClassLoader parent) throws IOException {
		String classPath = System.getProperty("java.class.path");
		if (parent instanceof URLClassLoader loader) {
			for (URL part : loader.getURLs()) {
				classPath += System.getProperty("path.separator") + part.getPath();
			}
		}
		List<String> arguments = new ArrayList<>(
				List.of("-proc:none", "-nowarn", "-parameters", "-cp", classPath, "-d", directory.toString()));
		for (Map.Entry<String, String> source : sources.entrySet()) {
			Path file = directory.resolve(source.getKey().replace('.', '/') + ".java");
			Files.createDirectories(file.getParent());
			Files.writeString(file, source.getValue());
			arguments.add(file.toString());
		}
		if (ToolProvider.getSystemJavaCompiler().run(null, null, null, arguments.toArray(String[]::new)) != 0) {
			throw new IllegalStateException("The classes do not compile: " + sources);
		}
		return new URLClassLoader(new URL[] { directory.toUri().toURL() }, parent);
	}

}
