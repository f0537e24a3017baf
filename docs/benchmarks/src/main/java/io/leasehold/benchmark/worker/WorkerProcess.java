package io.leasehold.benchmark.worker;

import java.io.EOFException;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.util.List;

import io.leasehold.benchmark.store.Store;
import org.jspecify.annotations.Nullable;

/**
 * A {@link Worker} as its parent sees it.
 */
public final class WorkerProcess implements AutoCloseable {

	private final String contender;

	private final Process process;

	private final ObjectOutputStream tasks;

	private @Nullable ObjectInputStream samples;

	/**
	 * Start a worker.
	 * @param store the kind of store
	 * @param contender what it measures
	 * @param address where the store is
	 * @param number its number
	 */
	public WorkerProcess(Store store, String contender, String address, int number) throws IOException {
		this.contender = contender;
		this.process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx1g",
				"-Xss512k", "-XX:+UseSerialGC", "-cp", System.getProperty("java.class.path"), Worker.class.getName(),
				store.name(), contender, address, Integer.toString(number))
			.redirectError(Redirect.INHERIT)
			.start();
		this.tasks = new ObjectOutputStream(this.process.getOutputStream());
		this.tasks.flush();
	}

	/** Let it begin. */
	public void begin(Task task) throws IOException {
		this.tasks.writeObject(task);
		this.tasks.flush();
	}

	/** Wait for the end of what it has begun. */
	public Sample end() throws IOException, ClassNotFoundException {
		try {
			if (this.samples == null) {
				this.samples = new ObjectInputStream(this.process.getInputStream());
			}
			return (Sample) this.samples.readObject();
		}
		catch (EOFException ex) {
			throw new IOException("The worker of '%s' has failed, see above".formatted(this.contender), ex);
		}
	}

	@Override
	public void close() throws IOException {
		this.process.destroyForcibly();
	}

}
