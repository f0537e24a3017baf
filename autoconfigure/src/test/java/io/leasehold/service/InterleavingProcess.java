package io.leasehold.service;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;

import org.jetbrains.lincheck.LincheckAssertionError;

/**
 * A JVM that checks one model with classes of its own in place of the real ones: Lincheck
 * looks for what it runs on the class path only.
 */
final class InterleavingProcess {

	/** Exit status if the model does not hold. */
	static final int FAILED = 3;

	private InterleavingProcess() {
	}

	/**
	 * Start one.
	 * @param classes directory of the classes
	 * @param output file for all that it prints
	 */
	static Process start(Class<? extends InterleavingModel> model, Path classes, Path output) {
		String classPath = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
		List<String> line = List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
				classes + System.getProperty("path.separator") + classPath, "-XX:+EnableDynamicAgentLoading",
				"-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", InterleavingProcess.class.getName(), model.getName());
		try {
			return new ProcessBuilder(line).redirectErrorStream(true).redirectOutput(output.toFile()).start();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	public static void main(String[] arguments) throws ClassNotFoundException {
		int status = 0;
		try {
			InterleavingModel.check(Class.forName(arguments[0]));
		}
		catch (LincheckAssertionError ex) {
			System.out.println(ex.getMessage());
			status = FAILED;
		}
		System.exit(status);
	}

}
