package io.leasehold.load;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;

import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

/**
 * Runs things in virtual threads, on the JDKs that have them, and watches whether the
 * library's code pins their carriers.
 */
public final class VirtualThreads {

	/**
	 * How many of them run before the recording, since whatever first uses a class keeps
	 * its carrier while another thread loads or links that.
	 */
	public static final int WARM_UP = 1_000;

	private VirtualThreads() {
	}

	/**
	 * Run something in many threads at the same time.
	 * @param count how many threads, beside those of the {@link #WARM_UP}
	 * @param task what each of them does, with its number
	 * @param folder for the recording
	 * @return the moments in which the library's code pinned a carrier
	 * @throws Exception what a thread threw, as the cause
	 */
	public static List<RecordedEvent> pinnedBy(int count, IntConsumer task, Path folder) throws Exception {
		run(WARM_UP, task);
		Path file = folder.resolve("pinned.jfr");
		try (Recording recording = new Recording()) {
			recording.enable("jdk.VirtualThreadPinned").withoutThreshold().withStackTrace();
			recording.start();
			run(count, task);
			recording.dump(file);
		}
		return RecordingFile.readAllEvents(file).stream().filter(VirtualThreads::isOurs).toList();
	}

	private static boolean isOurs(RecordedEvent event) {
		if (event.getStackTrace() == null) {
			return false;
		}
		List<String> types = event.getStackTrace()
			.getFrames()
			.stream()
			.map((frame) -> frame.getMethod().getType().getName())
			.toList();
		// What is first needed during the recording is loaded all the same
		return !types.contains(ClassLoader.class.getName())
				&& types.stream().anyMatch((type) -> type.startsWith("io.leasehold.") && !type.contains("Tests"));
	}

	private static void run(int count, IntConsumer task) throws Exception {
		// Called by its name, for the sources are those of Java 17
		ExecutorService threads = (ExecutorService) Executors.class.getMethod("newVirtualThreadPerTaskExecutor")
			.invoke(null);
		try {
			List<Future<?>> futures = new ArrayList<>();
			for (int i = 0; i < count; i++) {
				int number = i;
				futures.add(threads.submit(() -> task.accept(number)));
			}
			for (Future<?> future : futures) {
				future.get(2, TimeUnit.MINUTES);
			}
		}
		finally {
			threads.shutdownNow();
		}
	}

}
