package io.leasehold.test.contract;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * Another JVM with the class path of this one, which reads commands line by line. It can
 * be killed, frozen and woken. What it prints is read at once, so that a log does not
 * fill the pipe and block it while it holds a lock. Needs the system's {@code kill}.
 */
public final class JvmProcess implements AutoCloseable {

	private static final int LAST_ERRORS = 100;

	private final Process process;

	private final PrintWriter commands;

	/** Lines that it has printed; empty for the end. */
	private final BlockingQueue<Optional<String>> lines = new LinkedBlockingQueue<>();

	/** Last lines of its standard error, such as the exception that ended it. */
	private final Queue<String> errors = new ConcurrentLinkedQueue<>();

	private final Thread errorReader;

	private JvmProcess(Process process) {
		this.process = process;
		this.commands = new PrintWriter(process.getOutputStream(), true, StandardCharsets.UTF_8);
		start("output", this::read);
		this.errorReader = start("errors", this::readErrors);
	}

	private Thread start(String stream, Runnable reading) {
		Thread reader = new Thread(reading, "%s of %s".formatted(stream, this.process.pid()));
		reader.setDaemon(true);
		reader.start();
		return reader;
	}

	private void read() {
		try (BufferedReader output = this.process.inputReader(StandardCharsets.UTF_8)) {
			output.lines().map(Optional::of).forEach(this.lines::add);
		}
		catch (IOException | UncheckedIOException ex) {
			// it was killed
		}
		finally {
			this.lines.add(Optional.empty());
		}
	}

	private void readErrors() {
		try (BufferedReader output = this.process.errorReader(StandardCharsets.UTF_8)) {
			output.lines().forEach((line) -> {
				System.err.println(line);
				this.errors.add(line);
				if (this.errors.size() > LAST_ERRORS) {
					this.errors.remove();
				}
			});
		}
		catch (IOException | UncheckedIOException ex) {
			// it was killed
		}
	}

	/**
	 * Start another JVM.
	 * @param main class with a {@code main} method, which reads commands from standard
	 * input and responds on standard output
	 * @param arguments arguments of that method
	 * @return the process, to be closed
	 */
	public static JvmProcess start(Class<?> main, List<String> arguments) {
		return start(main, arguments, Map.of());
	}

	/**
	 * Start another JVM.
	 * @param main class with a {@code main} method, which reads commands from standard
	 * input and responds on standard output
	 * @param arguments arguments of that method
	 * @param environment additional environment variables
	 * @return the process, to be closed
	 */
	public static JvmProcess start(Class<?> main, List<String> arguments, Map<String, String> environment) {
		List<String> line = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
				"-cp", System.getProperty("java.class.path"), "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC",
				TestSettings.argument(), main.getName()));
		line.addAll(arguments);
		try {
			ProcessBuilder builder = new ProcessBuilder(line);
			builder.environment().putAll(environment);
			return new JvmProcess(builder.start());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Send the process a command, which it runs as soon as it is able to.
	 * @param command a line
	 */
	public void tell(String command) {
		this.commands.println(command);
	}

	/**
	 * Wait for a response. Other lines before it are ignored.
	 * @param word first word of the response
	 * @return the rest of the line
	 * @throws IllegalStateException if the process ends before, with its exit status and
	 * the last lines of its standard error
	 */
	public String expect(String word) {
		for (Optional<String> next = take(); next.isPresent(); next = take()) {
			String line = next.get();
			if (line.equals(word)) {
				return "";
			}
			if (line.startsWith(word + " ")) {
				return line.substring(word.length() + 1);
			}
		}
		this.lines.add(Optional.empty()); // for the next call
		throw new IllegalStateException(
				"The other process ended (status %s) before it printed '%s'. Its last errors:%n%s".formatted(awaitEnd(),
						word, String.join(System.lineSeparator(), this.errors)));
	}

	/**
	 * Wait until the process has ended and its errors are read, and return its status.
	 */
	private int awaitEnd() {
		try {
			int status = this.process.waitFor();
			this.errorReader.join();
			return status;
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private Optional<String> take() {
		try {
			return this.lines.take();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * End the process as a power failure does.
	 */
	public void kill() {
		this.process.destroyForcibly();
		awaitEnd();
	}

	/**
	 * Stop the process until it is woken.
	 */
	public void freeze() {
		signal("STOP");
	}

	/**
	 * Continue the process after it was frozen.
	 */
	public void wake() {
		signal("CONT");
	}

	@Override
	public void close() {
		if (this.process.isAlive()) {
			wake();
			kill();
		}
	}

	private void signal(String name) {
		try {
			new ProcessBuilder("kill", "-" + name, Long.toString(this.process.pid())).inheritIO().start().waitFor();
		}
		catch (IOException | InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
